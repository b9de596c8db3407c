// Runs the page in headless Chromium: no message of an error, every scene runs, its hash after 300 steps is the
// native one, a slider moves the lab, two tabs stay equal for 600 frames of random input.
// usage: page.js DIRECTORY VIEWER
const { execFileSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const path = require('path');
const { chromium } = require('playwright-core');

const [directory, viewer] = process.argv.slice(2);
const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const faults = [];

function serve(request, response) {
  const name = path.join(directory, request.url.split('?')[0].replace(/\/$/, '/index.html'));
  if (!fs.existsSync(name)) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': types[path.extname(name)] });
  return response.end(fs.readFileSync(name));
}

async function open(context, address) {
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => window.Module && Module.calledRun, null, { timeout: 120000 });
  await page.evaluate(() => Module.ccall('viewer_pause', null, ['number'], [1]));
  return page;
}

function runFrames(page, scene, count) {
  return page.evaluate(([name, frames]) => {
    Module.ccall('viewer_choose', null, ['string'], [name]);
    Module.ccall('viewer_frames', null, ['number'], [frames]);
    return Module.ccall('viewer_hash', 'string');
  }, [scene, count]);
}

async function checkScenes(page) {
  const names = execFileSync(viewer, ['--help'], { encoding: 'utf8' }).split('scenes:')[1].trim().split(' ');
  for (const name of names) {
    const native = execFileSync(viewer, [name, '--headless', '--frames', '300', '--size', '32x32'], { encoding: 'utf8' })
      .trim().split(' ').pop();
    const here = await runFrames(page, name, 300);
    if (here !== native) faults.push(`${name}: hash ${here} after 300 steps, native ${native}`);
  }
}

// The milliseconds from the start of loading until the first picture is drawn, which is read back, and how
// many colours a part of its pixels has.
async function firstPicture(context, address) {
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.addInitScript(() => {
    const request = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => request((now) => {
      draw(now);
      const canvas = document.getElementById('canvas'), gl = canvas.getContext('webgl2');
      if (window.picture || !gl) return;
      const pixels = new Uint32Array(canvas.width * canvas.height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.buffer));
      const colours = new Set(pixels.filter((_, i) => i % 100 === 0)).size;
      if (colours > 1) window.picture = { milliseconds: Math.round(performance.now()), colours };
    });
  });
  await page.goto(address);
  const picture = await (await page.waitForFunction(() => window.picture, null, { timeout: 120000 })).jsonValue();
  await page.close();
  return picture;
}

async function checkSlider(page) {
  const before = await runFrames(page, 'lab', 60);
  await page.evaluate(() => Module.ccall('viewer_set', null, ['number', 'number'], [2, 100]));
  await page.evaluate(() => Module.ccall('viewer_frames', null, ['number'], [60]));
  const after = await page.evaluate(() => Module.ccall('viewer_hash', 'string'));
  if (before === after) faults.push('lab: the slider of the stiffness changes nothing');
}

// A generator of random numbers with a fixed seed: Park and Miller's.
let seed = 1;
function random() {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
}

async function checkTabs(context, address) {
  const tabs = [await open(context, `${address}#lockstep`)];
  await tabs[0].waitForFunction(() => Lockstep.channel);
  tabs.push(await open(context, `${address}#lockstep`));
  for (const tab of tabs) await tab.waitForFunction(() => Lockstep.player >= 0);
  const confirmed = () => Promise.all(tabs.map((tab) => tab.evaluate(() => Module.ccall('lockstep_confirmed', 'number'))));
  for (let turn = 0; turn < 4000; turn++) {
    const input = [Math.round(16000 * (random() - 0.5)), Math.round(8000 * (random() - 0.5)), 1 + Math.floor(8 * random())];
    await tabs[random() < 0.5 ? 0 : 1].evaluate(([x, y, frames]) => {
      for (let i = 0; i < frames; i++) {
        Module.ccall('lockstep_aim', null, ['number', 'number'], [x, y]);
        Module.ccall('viewer_frames', null, ['number'], [1]);
      }
    }, input);
    if (turn % 20 === 0 && Math.min(...await confirmed()) > 610) break;
  }
  await tabs[0].waitForFunction(() => Lockstep.equal >= 600 || Lockstep.differs >= 0, null, { timeout: 20000 })
    .catch(() => faults.push('two tabs: fewer than 600 frames were compared'));
  for (const tab of tabs) {
    const differs = await tab.evaluate(() => Lockstep.differs);
    if (differs >= 0) faults.push(`two tabs: the states differ from frame ${differs} on`);
  }
}

async function main() {
  const server = http.createServer(serve).listen(0);
  const address = `http://localhost:${server.address().port}/`;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
  const context = await browser.newContext({ viewport: { width: 320, height: 200 } });
  const picture = await firstPicture(context, address);
  console.log(`the first picture is drawn after ${picture.milliseconds} ms`);
  if (picture.colours < 100) faults.push(`the first picture has ${picture.colours} colours`);
  const page = await open(context, address);
  await checkScenes(page);
  await checkSlider(page);
  await page.close();
  await checkTabs(context, address);
  await browser.close();
  server.close();
  console.log(faults.join('\n') || 'the page runs');
  process.exit(faults.length ? 1 : 0);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
