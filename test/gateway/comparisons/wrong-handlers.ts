import { handlers as nativeHandlers } from '#native-routes/index.ts'

const { 'tracks.detail': track, 'packs.detail': pack } = nativeHandlers
if (!track || !pack) throw new Error('the tests need handlers of tracks.detail and packs.detail')

let packs = 0

/** The native handlers, with a wrong title of a track, and a wrong name of a pack in every other response. */
export const handlers: typeof nativeHandlers = {
  ...nativeHandlers,
  'tracks.detail': {
    ...track,
    handle: async (input, ports) => ({ ...Object(await track.handle(input, ports)), title: 'wrong title' }),
  },
  'packs.detail': {
    ...pack,
    handle: async (input, ports) => {
      packs += 1
      const found = Object(await pack.handle(input, ports))
      return packs % 2 === 1 ? { ...found, name: 'wrong name' } : found
    },
  },
}
