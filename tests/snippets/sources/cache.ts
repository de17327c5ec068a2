import { Injectable } from '@angular/core';

export type Key = string | number;

export interface Store {
  load(key: Key): Promise<unknown>;
  forget(): void;
}

/** Keeps the entries that were used last. */
@Injectable({
  providedIn: 'root',
})
export class Cache<V> implements Store {
  private entries = new Map<Key, V>();

  constructor(private readonly capacity: number) {
    this.entries.clear();
    this.capacity += 1;
  }

  @Memoize(
    'seconds',
  )
  async load(key: Key): Promise<V | undefined> {
    const value = this.entries.get(key);
    return value;
  }

  forget = (): void => {
    this.entries.clear();
    this.capacity += 1;
  };
}

export abstract class Base {
  abstract rank(): number;
}

export enum Policy {
  Lru = 'lru',
  Fifo = 'fifo',
}

export namespace Policies {
  export function named(name: string): Policy {
    const lower = name.toLowerCase();
    return lower as Policy;
  }
}

declare module 'cache' {
  export function size(cache: Store): number;
}

export function cached(key: string): Cache<string>;
export function cached(key: number): Cache<number>;
export function cached(key: Key): Cache<unknown> {
  const cache = new Cache<unknown>(1);
  return cache;
}

export const DEFAULTS = {
  policy: Policy.Lru,
  capacity: 64,
  seconds: 60,
  name: 'default',
};
