// The page around the viewer: says clearly what is missing or has gone wrong, chooses the scene that the address
// names.
const word = document.getElementById('word');
const canvas = document.getElementById('canvas');
const about = document.getElementById('about');
const source = document.getElementById('source');
const usual = about.textContent;

// The smallest module with an instruction of simd128.
const simd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0,
  253, 15, 253, 98, 11]);

function missing() {
  if (typeof WebAssembly !== 'object' || !WebAssembly.validate(simd)) {
    return 'This browser has no WebAssembly SIMD. Firefox 89, Chromium 91 and Safari 16.4 and later have it.';
  }
  code = compile();
  // The viewer's own context: it draws into pictures of its own, so the canvas needs no depth. It is slow to change
  // its size later.
  canvas.width = canvas.clientWidth * devicePixelRatio, canvas.height = canvas.clientHeight * devicePixelRatio;
  if (!canvas.getContext('webgl2', { alpha: false, antialias: false, depth: false, stencil: false })) {
    return 'This browser, or its graphics driver, has no WebGL 2.';
  }
  return '';
}

// The code is compiled while it comes in, and while the browser makes the context. A server may not know its type.
let code;

function compile() {
  const file = fetch('viewer.wasm');
  const whole = async () => WebAssembly.compile(await (await fetch('viewer.wasm')).arrayBuffer());
  return WebAssembly.compileStreaming ? WebAssembly.compileStreaming(file).catch(whole) : whole();
}

function named() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch (error) {
    return location.hash.slice(1);
  }
}

// The viewer asks for the first scene and tells which one is shown.
const Page = {
  first: named,
  chosen(name, title, file) {
    const wanted = named();
    source.href = `source/${file}`;
    about.textContent = usual;
    if (name === 'lockstep') Lockstep.open();
    else Lockstep.close();
    if (wanted && wanted !== name && !this.started) this.unknown(wanted, title);
    this.started = true, this.title = title;
    if (wanted !== name) history.replaceState(null, '', `#${name}`);
  },
  unknown(name, title) { about.textContent = `No scene has the name ${name}; this is ${title}.`; },
};

let complaint = ''; // the last line of the viewer's standard error

function stop() {
  word.textContent = `The viewer has stopped${complaint ? `: ${complaint}` : ''}. Load the page again to go on.`;
}

var Module = {
  canvas,
  printErr(text) {
    complaint = text;
    console.warn(text);
  },
  onRuntimeInitialized() {
    word.textContent = '';
    canvas.focus();
  },
  instantiateWasm(imports, done) {
    code.then((module) => WebAssembly.instantiate(module, imports)).then(done, (error) => {
      word.textContent = `The file viewer.wasm cannot be loaded: ${error.message}`;
    });
    return {};
  },
  onAbort: stop,
  quit(status, thrown) {
    Module.pauseMainLoop();
    stop();
    throw thrown;
  },
};

addEventListener('hashchange', () => {
  const name = named();
  if (name && !Module.ccall('viewer_choose', 'number', ['string'], [name])) Page.unknown(name, Page.title);
});
// A finger is the left button; two turn and zoom, by the first of them and by their distance. (Emscripten's GLFW
// takes a touch for a press where the pointer was last.)
const NO_BUTTON = 9; // one of two fingers is lifted: the other one does nothing
const fingers = { button: -1, apart: 0, clientX: 0, clientY: 0 };

function touched(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
  const [one, two] = event.touches, last = fingers.apart, held = fingers.button;
  if (one) fingers.clientX = one.clientX, fingers.clientY = one.clientY;
  const send = (type, button) => canvas.dispatchEvent(new MouseEvent(type, { ...fingers, button, bubbles: true }));
  const alone = held === 2 ? NO_BUTTON : Math.max(held, 0), button = !one ? -1 : two ? 2 : alone;
  send('mousemove', 0);
  if (button !== held) {
    if (held === 0 || held === 2) send('mouseup', held);
    if (button === 0 || button === 2) send('mousedown', button);
  }
  fingers.button = button;
  fingers.apart = two ? Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) : 0;
  if (last && fingers.apart) {
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaY: -950 * Math.log(fingers.apart / last), bubbles: true }));
  }
}

for (const type of ['touchstart', 'touchmove', 'touchend', 'touchcancel']) {
  canvas.addEventListener(type, touched, { passive: false });
}
canvas.addEventListener('webglcontextlost', () => {
  complaint = 'the browser took its graphics away';
  Module.pauseMainLoop();
  stop();
});
canvas.addEventListener('contextmenu', (event) => event.preventDefault());
const lack = missing();
word.textContent = lack || 'Loading.';
if (!lack) {
  const viewer = document.createElement('script');
  viewer.src = 'viewer.js';
  viewer.onerror = () => { word.textContent = 'The file viewer.js cannot be loaded.'; };
  document.body.append(viewer);
}
