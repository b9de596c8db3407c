// What the tests of the page share: a server, a browser, a list of faults.
const fs = require('fs');
const http = require('http');
const path = require('path');
const { chromium } = require('playwright-core');

const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm', '.c': 'text/plain' };
const faults = [];

function expect(holds, sentence) {
  if (!holds) faults.push(sentence);
}

// Serves a directory on this machine and opens a browser for it.
async function start(directory) {
  const server = http.createServer((request, response) => {
    const name = path.join(directory, request.url.split('?')[0].replace(/\/$/, '/index.html'));
    if (!fs.existsSync(name)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[path.extname(name)] });
    return response.end(fs.readFileSync(name));
  }).listen(0);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
  });
  return { server, browser, address: `http://localhost:${server.address().port}/` };
}

// Opens a page whose viewer runs, and reports what it prints as errors. pause: its time stands still.
async function open(context, address, pause = true, prepare = undefined) {
  const page = await context.newPage();
  page.on('pageerror', (error) => faults.push(`page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  if (prepare) await page.addInitScript(prepare);
  await page.goto(address);
  await page.waitForFunction(() => window.Module && Module.calledRun, null, { timeout: 120000 });
  if (pause) await page.evaluate(() => Module.ccall('viewer_pause', null, ['number'], [1]));
  return page;
}

// Calls a function of the viewer, whose arguments are numbers and whose result is a `type`.
function call(page, name, values = [], type = 'number') {
  return page.evaluate(([to, list, result]) => Module.ccall(to, result, list.map(() => 'number'), list),
    [name, values, type]);
}

function choose(page, scene) {
  return page.evaluate((name) => Module.ccall('viewer_choose', 'number', ['string'], [name]), scene);
}

// Waits until the viewer has read its input and drawn.
function frames(page, count = 2) {
  return page.evaluate((left) => new Promise((done) => {
    const next = () => (left-- > 0 ? requestAnimationFrame(next) : done());
    next();
  }), count);
}

// Presses keys, at most 64, and waits until the viewer has done what they ask.
async function press(page, ...keys) {
  for (const key of keys) await page.keyboard.press(key);
  await frames(page, 3);
}

// The pixels of the next picture, kept in the page under a name; and how many pixels of two of them differ in the
// upper share of the rows. The viewer draws before this function in the same frame.
function keepPicture(page, name) {
  return page.evaluate((to) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const canvas = document.getElementById('canvas'), gl = canvas.getContext('webgl2');
    const pixels = new Uint8Array(4 * canvas.width * canvas.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    window.pictures = { ...window.pictures, [to]: pixels };
    done();
  }))), name);
}

function differing(page, one, other, share = 1) {
  return page.evaluate(([a, b, upper]) => {
    const p = window.pictures[a], q = window.pictures[b];
    let count = 0;
    for (let i = 4 * Math.round((1 - upper) * p.length / 4); i < p.length; i += 4) if ([0, 1, 2].some((c) => Math.abs(p[i + c] - q[i + c]) > 12)) count++;
    return count;
  }, [one, other, share]);
}

module.exports = { call, choose, differing, expect, faults, frames, keepPicture, open, press, start };
