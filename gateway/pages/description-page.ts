import { createHash } from 'node:crypto'
import { Hono } from 'hono/tiny'
import type { Audience } from '../openapi/load-description.ts'
import { createAssetResponse, loadOnce, type PageApp } from './page-app.ts'

export type LoadDescription = (audience: Audience) => Promise<string>

interface Description {
  readonly plain: Uint8Array<ArrayBuffer>
  readonly gzipped: Uint8Array<ArrayBuffer>
  /** Each encoding has its own entity tag. */
  readonly hash: string
}

const compress = (bytes: Uint8Array<ArrayBuffer>) =>
  new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))).bytes()

const prepare = async (serialized: string): Promise<Description> => {
  const plain = new TextEncoder().encode(serialized)
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 24)
  return { plain, gzipped: await compress(plain), hash }
}

// RFC 9110, section 12.5.3: a weight of 0 means not acceptable.
export const acceptsGzip = (accepted: string) =>
  accepted.split(',').some((coding) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$).*)?$/i.test(coding))

// RFC 9110, section 13.1.2: the comparison is weak.
const matches = (ifNoneMatch: string, tag: string) =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === tag)

/** Caches must revalidate the page: on Workers, both audiences use the same URL with different tokens. */
export const createDescriptionPage = (audience: Audience, load: LoadDescription): PageApp => {
  const pages: PageApp = new Hono()
  const read = loadOnce(async () => prepare(await load(audience)))
  pages.get('/openapi.json', async ({ req }) => {
    const { plain, gzipped, hash } = await read()
    const isGzipped = acceptsGzip(req.header('accept-encoding') ?? '')
    const tag = isGzipped ? `"${hash}-gzip"` : `"${hash}"`
    const headers = {
      etag: tag,
      vary: 'accept-encoding, authorization',
      'cache-control': audience === 'public' ? 'no-cache' : 'private, no-cache',
    }
    if (matches(req.header('if-none-match') ?? '', tag)) return new Response(null, { status: 304, headers })
    return createAssetResponse(isGzipped ? gzipped : plain, {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      ...(isGzipped ? { 'content-encoding': 'gzip' } : {}),
    })
  })
  return pages
}
