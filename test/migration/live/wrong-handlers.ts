import { handlers as nativeHandlers } from '#native-routes/index.ts'

const { 'tracks.detail': track, 'packs.detail': pack } = nativeHandlers
if (!track || !pack) throw new Error('the tests need handlers of tracks.detail and packs.detail')

const openedPacks = new Set<string>()

/**
 * The native handlers with two faults: a track always has a wrong title, and a pack has a wrong name only in the first
 * response about it.
 */
export const handlers: typeof nativeHandlers = {
  ...nativeHandlers,
  'tracks.detail': {
    ...track,
    handle: async (input, ports) => ({ ...Object(await track.handle(input, ports)), title: 'wrong title' }),
  },
  'packs.detail': {
    ...pack,
    handle: async (input, ports) => {
      const found = Object(await pack.handle(input, ports))
      const isFirst = !openedPacks.has(found.id)
      openedPacks.add(found.id)
      return isFirst ? { ...found, name: 'wrong name' } : found
    },
  },
}
