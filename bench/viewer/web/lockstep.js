// Two tabs in lockstep, over a BroadcastChannel. A tab that shows the scene says hello every second until it has
// a partner. Both begin at frame 0 with the same choices; each sends its inputs, and the hashes of frames that no
// input can change any more. Each beginning has a name of its own, the number of the pair and its author, which
// every message carries: a tab takes nothing that belongs to an older beginning or to strangers.
const Lockstep = {
  me: Math.random(), channel: null, looking: false, number: 0,
  pair: null, // { id, number, author, other, player }
  mine: new Map(), theirs: new Map(), equal: -1, differs: -1, told: 0,
  heard: 0, asked: 0, fullAt: -1e9, waitsSince: 0, helloAt: 0, reason: '', beginning: false,
  patience: 10000, // milliseconds without an answer after which the other tab is gone

  call(name, ...values) {
    return Module.ccall(name, 'number', values.map(() => 'number'), values);
  },

  // The scene is shown: look for a partner.
  open() {
    if (this.looking) return;
    if (typeof BroadcastChannel !== 'function') {
      this.reason = 'This browser has no BroadcastChannel: no other tab can be found.';
      return;
    }
    this.looking = true, this.reason = '';
    if (!this.channel) {
      this.channel = new BroadcastChannel('mote-lockstep');
      this.channel.onmessage = (event) => this.receive(event.data);
      setInterval(() => this.tell(), 100);
    }
    this.hello();
  },

  // Another scene is shown, or the page goes away.
  close() {
    if (this.pair) this.post('bye', this.pair.other);
    this.pair = null, this.looking = false;
  },

  post(kind, to, more) {
    this.channel.postMessage({ kind, to, from: this.me, pair: this.pair && this.pair.id, ...more });
  },

  hello() {
    this.helloAt = performance.now();
    this.post('hello', null);
  },

  // Begins with another tab, which is told to do the same.
  invite(other) {
    this.number += 1;
    this.enter({ id: `${this.number} ${this.me}`, number: this.number, author: this.me, other });
    this.post('begin', other, { number: this.number, substeps: this.call('viewer_substeps'),
      integrator: this.call('viewer_integrator') });
  },

  enter(pair) {
    pair.player = this.me < pair.other ? 0 : 1;
    this.pair = pair, this.heard = performance.now(), this.waitsSince = 0, this.reason = '';
    this.mine.clear(), this.theirs.clear(), this.equal = this.differs = -1, this.told = 0;
    this.call('lockstep_begin', pair.player);
  },

  restart(substeps, integrator) {
    this.beginning = true;
    this.call('viewer_restart', substeps, integrator);
    this.beginning = false;
  },

  // The scene was made anew. By a key: the other tab has to follow.
  opened() {
    if (this.pair && !this.beginning) this.invite(this.pair.other);
  },

  lose(reason) {
    this.pair = null, this.reason = reason, this.helloAt = performance.now();
    this.call('lockstep_alone');
  },

  // Two tabs may invite each other at once: the smaller number of a tab wins.
  invited(message) {
    const pair = this.pair;
    this.number = Math.max(this.number, message.number);
    if (pair && pair.other !== message.from) {
      this.post('bye', message.from, { pair: message.pair });
      return;
    }
    if (pair && (message.number < pair.number || (message.number === pair.number && pair.author <= message.from))) return;
    this.restart(message.substeps, message.integrator);
    this.enter({ id: message.pair, number: message.number, author: message.from, other: message.from });
  },

  receive(message) {
    if (!this.looking || (message.to !== null && message.to !== this.me)) return;
    if (message.kind === 'hello') {
      if (this.pair && this.pair.other !== message.from) {
        this.post('full', message.from);
      } else {
        this.restart(this.call('viewer_substeps'), this.call('viewer_integrator'));
        this.invite(message.from);
      }
    } else if (message.kind === 'begin') {
      this.invited(message);
    } else if (message.kind === 'full') {
      this.fullAt = performance.now();
    } else if (!this.pair || this.pair.other !== message.from) {
      if (message.kind !== 'bye') this.post('bye', message.from, { pair: message.pair });
    } else if (message.pair === this.pair.id) {
      this.hear(message);
    }
  },

  hear(message) {
    this.heard = performance.now();
    if (message.kind === 'bye') this.lose('The other tab has left.');
    if (message.kind === 'ask') this.post('here', message.from);
    if (message.kind === 'hash') this.theirs.set(message.frame, message.hash);
    if (message.kind !== 'input') return;
    this.call('lockstep_receive', message.frame, message.x, message.y);
    if (document.hidden) this.follow();
  },

  // A hidden tab draws no frames: it runs those that the other tab has.
  follow() {
    for (let i = 0; i < 60 && !this.call('viewer_paused') && this.call('lockstep_behind') > 0; i++) this.call('viewer_frames', 1);
    this.compare();
  },

  sendInput(frame, x, y) {
    if (this.pair) this.post('input', this.pair.other, { frame, x, y });
  },

  compare() {
    const confirmed = this.call('lockstep_confirmed');
    for (; this.told < confirmed; this.told++) {
      const hash = Module.ccall('lockstep_hash', 'string', ['number'], [this.told]);
      if (!hash) continue; // it is kept no more
      this.mine.set(this.told, hash);
      this.post('hash', this.pair.other, { frame: this.told, hash });
    }
    for (const [frame, hash] of this.theirs) {
      if (frame >= this.told) continue;
      if (hash === this.mine.get(frame)) this.equal = Math.max(this.equal, frame);
      else if (this.mine.has(frame) && this.differs < 0) this.differs = frame;
      this.theirs.delete(frame), this.mine.delete(frame);
    }
    for (const frame of this.mine.keys()) if (frame < this.told - 1000) this.mine.delete(frame);
  },

  tell() {
    const now = performance.now();
    if (!this.looking) return;
    if (!this.pair && now - this.helloAt > 1000) this.hello();
    if (this.pair) {
      this.compare();
      const waits = this.call('lockstep_waits');
      this.waitsSince = waits ? this.waitsSince || now : 0;
      if (now - this.heard > 1000 && now - this.asked > 1000) this.asked = now, this.post('ask', this.pair.other);
      if (now - this.heard > this.patience) this.lose('The other tab does not answer any more.');
    }
    about.textContent = this.words(now);
  },

  words(now) {
    if (!this.pair) {
      if (now - this.fullAt < 3000) return 'Two other tabs play already; this one plays alone until one of them leaves.';
      return `${this.reason} Open Two tabs in a second window to play together.`.trim();
    }
    if (this.differs >= 0) return `The states differ from frame ${this.differs} on.`;
    const equal = this.equal < 0 ? 'Two tabs have begun.' : `The hashes of both tabs are equal up to frame ${this.equal}.`;
    if (this.waitsSince && now - this.waitsSince > 500) return `${equal} Waiting for the other tab: it is paused, hidden or busy.`;
    return equal;
  },
};

addEventListener('pagehide', () => Lockstep.close());
