import { HonoBase } from 'hono/hono-base'
import type { Router } from 'hono/router'
import type { H, RouterRoute } from 'hono/types'
import type { Label } from '#contracts/route-table.ts'
import { labels } from '#contracts/shared/row.ts'
import { createRowRouter, mountRows } from '#gateway/app/app.ts'
import type { GatewayEnv } from '#gateway/request/platform.ts'

/** Creates a function that finds the row for a path as the app does. It returns null if there is none. */
export const createLabelFinder = (
  rows: readonly Label[] = labels,
  router: Router<[H, RouterRoute]> = createRowRouter(),
) => {
  const app = new HonoBase<GatewayEnv>({ router })
  const found = new Map<unknown, Label>()
  mountRows(
    app,
    (label) => {
      const handler = () => new Response()
      found.set(handler, label)
      return handler
    },
    rows,
  )
  return (method: string, path: string): Label | null => {
    const [first] = app.router.match(method === 'HEAD' ? 'GET' : method, path)[0]
    return found.get(first?.[0][0]) ?? null
  }
}

export const findLabel = createLabelFinder()
