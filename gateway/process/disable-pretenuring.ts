// Optimized: see "GET of 1 KiB, 512 connections" in bench/README.md.
import { setFlagsFromString } from 'node:v8'

/**
 * Prevents V8 from creating objects in its old generation, which it does for a place in the code whose objects have survived
 * minor collections, such as those of requests that wait for the core. An object that is created there is freed by full
 * collections only, and until then keeps everything alive that it refers to: whole requests that have ended.
 */
export const disablePretenuring = () => setFlagsFromString('--no-allocation-site-pretenuring')
