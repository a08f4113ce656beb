import type { NativeRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'

type Handle = NativeRoute['handle']

// The registry is read-only. A fault replaces what is registered before the gateway reads it.
const asReplaceable = (route: object) => route as { handle: Handle }

/** Replaces this process's handler of `tracks.list` by the result of `replace`. */
export const replaceHandler = (replace: (handle: Handle) => Handle) => {
  const registered = handlers['tracks.list']
  if (!registered) throw new Error('tracks.list has no handler that could be replaced')
  const route = asReplaceable(registered)
  route.handle = replace(route.handle)
}
