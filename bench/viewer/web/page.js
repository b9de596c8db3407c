// The page around the viewer: says clearly what is missing, chooses the scene that the address names.
const word = document.getElementById('word');
const canvas = document.getElementById('canvas');
const about = document.getElementById('about');
const source = document.getElementById('source');

// The smallest module with an instruction of simd128.
const simd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0,
  253, 15, 253, 98, 11]);

function missing() {
  if (typeof WebAssembly !== 'object' || !WebAssembly.validate(simd)) {
    return 'This browser has no WebAssembly SIMD. Firefox 89, Chromium 91 and Safari 16.4 and later have it.';
  }
  if (!document.createElement('canvas').getContext('webgl2')) {
    return 'This browser, or its graphics driver, has no WebGL 2.';
  }
  return '';
}

// Two tabs in lockstep. The first one waits; the second one finds it, and both begin again at frame 0. A tab
// sends its inputs, and the hashes of frames that no input can change any more.
const Lockstep = {
  channel: null, me: Math.random(), player: -1, hashes: new Map(), equal: -1, differs: -1, told: 0,

  open() {
    if (this.channel || typeof BroadcastChannel !== 'function') return;
    this.channel = new BroadcastChannel('mote-lockstep');
    this.channel.onmessage = (event) => this.receive(event.data);
    this.channel.postMessage({ kind: 'hello', from: this.me });
    setInterval(() => this.tell(), 100);
  },
  begin(player) {
    this.player = player;
    this.hashes.clear(), this.equal = this.differs = -1, this.told = 0;
    Module.ccall('viewer_choose', null, ['string'], ['lockstep']);
    Module.ccall('lockstep_begin', 'number', ['number'], [player]);
  },
  receive(message) {
    if (message.kind === 'hello') {
      this.channel.postMessage({ kind: 'begin', to: message.from });
      this.begin(0);
    } else if (message.kind === 'begin' && message.to === this.me) {
      this.begin(1);
    } else if (message.kind === 'input') {
      Module.ccall('lockstep_receive', null, ['number', 'number', 'number'], [message.frame, message.x, message.y]);
    } else if (message.kind === 'hash') {
      this.hashes.set(message.frame, message.hash);
    }
  },
  sendInput(frame, x, y) {
    if (this.player >= 0) this.channel.postMessage({ kind: 'input', frame, x, y });
  },
  tell() {
    if (this.player < 0) return;
    const confirmed = Module.ccall('lockstep_confirmed', 'number');
    for (; this.told < confirmed; this.told++) {
      const hash = Module.ccall('lockstep_hash', 'string', ['number'], [this.told]);
      this.channel.postMessage({ kind: 'hash', frame: this.told, hash });
      this.mine = this.mine || new Map();
      this.mine.set(this.told, hash);
    }
    for (const [frame, hash] of this.hashes) {
      if (!this.mine || !this.mine.has(frame)) continue;
      if (hash === this.mine.get(frame)) this.equal = Math.max(this.equal, frame);
      else if (this.differs < 0) this.differs = frame;
      this.hashes.delete(frame), this.mine.delete(frame);
    }
    about.textContent = this.differs >= 0 ? `The states differ from frame ${this.differs} on.` :
      `The hashes of both tabs are equal up to frame ${this.equal}.`;
  },
};

function choose() {
  const name = decodeURIComponent(location.hash.slice(1));
  if (name) Module.ccall('viewer_choose', null, ['string'], [name]);
  if (name === 'lockstep') Lockstep.open();
}

var Module = {
  canvas,
  onRuntimeInitialized() {
    word.textContent = missing();
    if (word.textContent) throw new Error(word.textContent);
    canvas.focus();
    setTimeout(choose);
    source.onpointerdown = () => { source.href = `source/${Module.ccall('viewer_source', 'string')}`; };
  },
  onAbort() { word.textContent = 'The viewer has stopped. The console of the browser tells why.'; },
};
word.textContent = missing() || 'Loading.';
addEventListener('hashchange', choose);
canvas.addEventListener('contextmenu', (event) => event.preventDefault());
