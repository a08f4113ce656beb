import { Hono } from 'hono/tiny'
import { createOpenApiDocument } from './openapi.ts'
import type { Audience } from './openapi-operation.ts'
import { createPageResponse, type PageApp } from './page-app.ts'

/** Creates `/openapi.json` for an audience. The document is created by the first request. */
export const createDescriptionPage = (audience: Audience): PageApp => {
  const pages: PageApp = new Hono()
  let serialized: string | undefined
  pages.get('/openapi.json', () => {
    serialized ??= JSON.stringify(createOpenApiDocument(audience))
    return createPageResponse(serialized, { 'content-type': 'application/json; charset=utf-8' })
  })
  return pages
}
