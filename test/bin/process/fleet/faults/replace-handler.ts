import type { NativeRoute } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'

type Handle = NativeRoute['handle']

// Makes a route in the read-only registry writable. A fault must replace the handler before the gateway reads it.
const asReplaceable = (route: object) => route as { handle: Handle }

export const replaceHandler = (replace: (handle: Handle) => Handle) => {
  const registered = handlers['tracks.list']
  if (!registered) throw new Error('tracks.list has no handler that could be replaced')
  const route = asReplaceable(registered)
  route.handle = replace(route.handle)
}
