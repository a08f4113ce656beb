import { handlers as nativeHandlers } from '#native-routes/index.ts'

// This module's import URL contains the fault's name as the parameter `fault`.
const fault = new URL(import.meta.url).searchParams.get('fault') ?? ''

const leaked: Buffer[] = []

const faults: Readonly<Record<string, () => unknown>> = {
  hangs: () => new Promise(() => undefined),
  throws: () => {
    throw new TypeError('the handler of the benchmark throws')
  },
  loops: () => {
    for (;;);
  },
  leaks: () => {
    leaked.push(Buffer.alloc(16 * 1024 * 1024, leaked.length))
    return { records: [], nextCursor: null }
  },
}

const list = nativeHandlers['packs.list']
const faulty = faults[fault]

/** The native handlers, with the fault in `packs.list` unless the fault is `none`. */
export const handlers = {
  ...nativeHandlers,
  ...(list && faulty ? { 'packs.list': { ...list, handle: async () => faulty() } } : {}),
}
