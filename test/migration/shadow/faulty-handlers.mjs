// The native routes, except that the handler of a library does what the library's name says.
import { setTimeout as sleep } from 'node:timers/promises'
import { detail } from '#contracts/libraries.ts'
import { defineRoute } from '#native-routes/define-route.ts'
import { handlers as nativeHandlers } from '#native-routes/index.ts'

const kept = []

const faults = {
  hang: () => new Promise(() => undefined),
  loop: () => {
    for (;;);
  },
  throw: ({ name }) => {
    throw new TypeError(`${name}\n    at ${name} (file:///secret.ts:1:1)`)
  },
  'throw later': ({ name }) => {
    setTimeout(() => faults.throw({ name: `secret ${name}` }))
    return new Promise(() => undefined)
  },
  'reject later': async ({ name }) => {
    Promise.reject(Object.assign(new Error(`secret ${name}`), { name: `secret ${name}` }))
    await sleep(60_000)
  },
  leak: async () => {
    for (;;) {
      kept.push(Buffer.alloc(8 * 1024 * 1024, 1))
      await sleep(20)
    }
  },
  'leak heap': () => {
    for (;;) kept.push(new Array(1000).fill(kept.length))
  },
  'write a file': async (library) => {
    const { writeFile } = await import('node:fs/promises')
    await writeFile(new URL('written', import.meta.url), library.name)
  },
  'read a file': async () => {
    const { readFile } = await import('node:fs/promises')
    await readFile('/etc/hosts')
  },
  'start a process': async () => {
    const { spawnSync } = await import('node:child_process')
    spawnSync('true')
  },
  'print the environment': async () => {
    const names = Object.keys(process.env).sort().join()
    if (names !== 'COMPARISON_HANDLERS,COMPARISON_SETTINGS,MALLOC_ARENA_MAX') throw new Error(names)
    if (process.env.COMPARISON_SETTINGS.includes('secret of a provider')) throw new Error('secret')
  },
}

export const handlers = {
  ...nativeHandlers,
  'libraries.detail': defineRoute(detail, async ({ library }) => {
    await faults[library.name]?.(library)
    return library
  }),
}
