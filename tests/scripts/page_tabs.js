// Two tabs in lockstep, and what may happen to a pair: a third tab, a tab that leaves, is hidden, begins again,
// shows another scene or does not answer.
const { call, choose, expect, faults, open, press } = require('./page_support.js');

// A generator of random numbers with a fixed seed: Park and Miller's.
let seed = 1;
function random() {
  seed = (seed * 16807) % 2147483647;
  return seed / 2147483647;
}

const foot = (tab) => tab.evaluate(() => document.getElementById('about').textContent);

// Waits for a state of a tab; a fault tells what it was that did not come.
async function until(tab, what, condition, value = undefined) {
  try {
    await tab.waitForFunction(condition, value, { timeout: 20000, polling: 50 });
    return true;
  } catch (error) {
    faults.push(`two tabs: ${what}: ${await foot(tab)}`);
    return false;
  }
}

const equalBeyond = (frame) => Lockstep.pair && Lockstep.differs < 0 && Lockstep.equal >= frame;
const number = (tab) => tab.evaluate(() => (Lockstep.pair ? Lockstep.pair.number : 0));

async function agree(tabs, what, frame = 20) {
  for (const tab of tabs) await until(tab, what, equalBeyond, frame);
}

// 600 frames of random input, in turns of random length, so that inputs come late.
async function checkRandomInput(context, address) {
  const tabs = [];
  for (let i = 0; i < 2; i++) tabs.push(await open(context, `${address}#lockstep`));
  for (const tab of tabs) await until(tab, 'there is no pair', () => Lockstep.pair);
  const confirmed = () => Promise.all(tabs.map((tab) => call(tab, 'lockstep_confirmed')));
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
  await agree(tabs, 'fewer than 600 frames are equal', 600);
  for (const tab of tabs) expect(await call(tab, 'lockstep_rolled_back') > 10, 'two tabs: late inputs roll nothing back');
  for (const tab of tabs) await tab.close();
}

// A tab that can be hidden: its frames of the screen stop, as the browser stops them.
function canBeHidden() {
  const request = window.requestAnimationFrame.bind(window);
  const waiting = [];
  let hidden = false;
  window.requestAnimationFrame = (draw) => (hidden ? waiting.push(draw) : request(draw));
  Object.defineProperty(document, 'hidden', { get: () => hidden });
  window.hide = (hides) => {
    hidden = hides;
    if (!hidden) waiting.splice(0).forEach((draw) => request(draw));
  };
}

async function checkPair(context, address) {
  const first = await open(context, address, false); // the scene is chosen by a call, as by a button
  await choose(first, 'lockstep');
  let second = await open(context, `${address}#lockstep`, false, canBeHidden);
  await agree([first, second], 'a pair that was chosen by a button');

  await press(first, 'r');
  await agree([first, second], 'R in one tab');
  const before = await number(second);
  await press(second, ']');
  await until(first, 'other substeps', (old) => Lockstep.pair.number > old, before);
  await agree([first, second], '] in one tab');
  expect(await call(first, 'viewer_substeps') === 1, 'two tabs: the substeps of one are not those of the other');
  await Promise.all([press(first, 'r'), press(second, 'r')]);
  await agree([first, second], 'R in both tabs at once');

  const third = await open(context, `${address}#lockstep`, false);
  await until(third, 'a third tab is not told', () => /Two other tabs play/.test(document.getElementById('about').textContent));
  await agree([first, second], 'a third tab', 40);
  expect(!await third.evaluate(() => Lockstep.pair), 'two tabs: the third has a partner');

  await press(first, ' ');
  await until(second, 'no word about a paused tab', () => /Waiting for the other tab/.test(document.getElementById('about').textContent));
  await press(first, ' ');
  await second.evaluate(() => window.hide(true));
  const seen = await first.evaluate(() => Lockstep.equal);
  await until(first, 'a hidden tab', equalBeyond, seen + 60);
  await second.evaluate(() => window.hide(false));
  await agree([first, second], 'a tab that was hidden', seen + 80);

  await choose(second, 'rope'); // the first one and the third remain
  await agree([first, third], 'the third tab takes the place of one that shows another scene');
  await third.close();
  await until(first, 'no word that a tab has left', () => /has left/.test(document.getElementById('about').textContent));
  const frame = await call(first, 'lockstep_confirmed');
  await until(first, 'a tab alone stands still', (from) => Module.ccall('lockstep_confirmed', 'number') > from + 30, frame);

  await choose(second, 'lockstep');
  await agree([first, second], 'a tab that comes back');
  await first.evaluate(() => { Lockstep.patience = 1500; });
  await second.evaluate(() => { Lockstep.channel.onmessage = null, Lockstep.channel.postMessage = () => {}; });
  await until(first, 'no word about a dead tab', () => /does not answer/.test(document.getElementById('about').textContent));
  await second.close();
  second = await open(context, `${address}#lockstep`, false);
  await agree([first, second], 'a new tab after a dead one');
}

module.exports = { checkPair, checkRandomInput };
