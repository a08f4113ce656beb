import { Hono } from 'hono/tiny'
import type { Label } from '#contracts/route-table.ts'
import { jsonResponse } from '../request/response.ts'
import { type PageApp, toFetchResponse } from './page-app.ts'

/** What the code of a build is identified by. */
export interface BuildIdentity {
  /** Differs as soon as any code of the gateway does. */
  readonly id: string
  /** The evidence key of every route with a handler: what was measured with one key says nothing about another. */
  readonly keys: ReadonlyMap<Label, string>
}

/** The page with the identity of the running code: its id and the evidence key of each route with a handler. */
export const createBuildPage = ({ id, keys }: BuildIdentity): PageApp => {
  const pages: PageApp = new Hono()
  const body = { build: id, evidenceKeys: Object.fromEntries(keys) }
  pages.get('/build', () => toFetchResponse(jsonResponse(200, body)))
  return pages
}
