import { Hono } from 'hono/tiny'
import type { Label } from '#contracts/route-table.ts'
import { jsonResponse } from '../request/response.ts'
import { type PageApp, toFetchResponse } from './page-app.ts'

export interface BuildIdentity {
  /** Changes whenever any of the gateway's code changes. */
  readonly id: string
  /** The evidence key of each route with a handler. Measurements under one key say nothing about another. */
  readonly keys: ReadonlyMap<Label, string>
}

export const createBuildPage = ({ id, keys }: BuildIdentity): PageApp => {
  const pages: PageApp = new Hono()
  const body = { build: id, evidenceKeys: Object.fromEntries(keys) }
  pages.get('/build', () => toFetchResponse(jsonResponse(200, body)))
  return pages
}
