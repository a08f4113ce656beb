// A child process that does what each task says.
import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveTasks } from '#migration/shadow/serve-tasks.ts'

const { START_MS = '0' } = process.env

// Writes as many of the bytes as the pipe accepts, without encoding them as a result.
const write = (bytes) => {
  try {
    writeSync(3, bytes)
  } catch (error) {
    if (error.code !== 'EAGAIN') process.exit(0)
  }
}

const frame = (json) => {
  const header = Buffer.alloc(4)
  header.writeUInt32BE(Buffer.byteLength(json))
  return Buffer.concat([header, Buffer.from(json)])
}

const floods = {
  unknownId: frame('{"id":123456,"result":1}'),
  noId: frame('{"result":1}'),
  ready: frame('{"ready":true}'),
  noJson: frame('{"id":1,'),
  empty: Buffer.alloc(4),
  longFrame: Buffer.from([0x7f, 0xff, 0xff, 0xff, 0x7b]),
}

const faults = {
  echo: ({ value }) => value,
  size: ({ body }) => ({ isBuffer: Buffer.isBuffer(body), bytes: body.length }),
  environment: () => ({ env: process.env, mayStartThreads: process.permission?.has('worker') ?? null }),
  invalid: () => 'invalid',
  unsendable: () => ({ count: 1n }),
  large: ({ value }) => 'x'.repeat(value),
  loop: () => {
    for (;;);
  },
  hang: () => new Promise(() => undefined),
  throw: () => {
    throw new TypeError('a secret\n    at a secret')
  },
  throwLater: () => {
    setTimeout(faults.throw)
    return new Promise(() => undefined)
  },
  exit: () => process.exit(3),
  fillStderr: ({ value }) => process.stderr.write('secret\n'.repeat(value)),
  leak: async () => {
    const kept = []
    for (let count = 0; count < 80; count += 1) {
      kept.push(Buffer.alloc(8 * 1024 * 1024, 1))
      await sleep(20)
    }
    return kept.length
  },
  leakHeap: () => {
    const kept = []
    for (;;) kept.push(new Array(1000).fill(kept.length))
  },
  // Returns before it writes, so that the child has no task during the flood.
  flood: ({ value }) => {
    setTimeout(() => setInterval(() => write(floods[value]), 1), 50)
    return 'idle'
  },
}

await sleep(Number(START_MS))
serveTasks((task) => faults[task.kind](task))
