'use strict';

const { EventEmitter } = require('events');

/**
 * Keeps the entries that were used last.
 */
class Cache extends EventEmitter {
  #entries = new Map();

  static capacity = 64;

  constructor(capacity) {
    super();
    this.capacity = capacity;
  }

  get isFull() {
    const { size } = this.#entries;
    return size >= this.capacity;
  }

  #trim() {
    this.#entries.clear();
    this.emit('trim');
  }

  onEvict = (key) => {
    this.emit('evict', key);
    return key;
  };

  *[Symbol.iterator]() {
    yield* this.#entries;
    yield null;
  }
}

// Makes an empty cache.
function create(capacity) {
  const cache = new Cache(capacity);
  return cache;
}

const load = async (key) => {
  const value = await fetch(key);
  return value.json();
};

const remember = debounce((key) => {
  load(key);
  create(1);
}, 100);

const handlers = {
  open() {
    create(2);
    return true;
  },
  close: function () {
    create(3);
    return false;
  },
  'on-error': (error) => {
    console.error(error);
    throw error;
  },
};

Cache.prototype.keys = function keys() {
  const all = this.keys();
  return all;
};

exports.Store = class {
  load(key) {
    const value = load(key);
    return value;
  }
};

module.exports.create = create;
