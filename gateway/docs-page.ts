import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Scalar } from '@scalar/hono-api-reference'
import { Hono } from 'hono'
import type { Pages, RequestEnvironment } from './create-gateway.ts'

const bundlePath = '/docs/reader.js'
const bundleFile = new URL('./browser/standalone.js', import.meta.resolve('@scalar/api-reference'))

// The reader is somebody else's script: the browser lets it reach this origin and nothing else, whatever it tries.
const contentPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const readerOf = (nonce: string) =>
  Scalar<{ Bindings: RequestEnvironment }>({
    pageTitle: 'Crossfade API',
    url: '/openapi.json',
    cdn: bundlePath,
    nonce,
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
  })

const compressed = promisify(gzip)

const loadBundle = async () => {
  const plain = await readFile(bundleFile)
  return { plain, gzipped: await compressed(plain) }
}

/** `/docs`: the API description for people, with everything it loads served from here. */
export const createDocsPages = (): Pages => {
  const pages: Pages = new Hono()
  let loading: ReturnType<typeof loadBundle> | undefined
  const bundle = () => {
    loading ??= loadBundle().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }

  pages.get('/docs', (context, next) => {
    const nonce = crypto.randomUUID()
    context.header('content-security-policy', contentPolicy(nonce))
    context.header('referrer-policy', 'no-referrer')
    return readerOf(nonce)(context, next)
  })

  pages.get(bundlePath, async (context) => {
    const { plain, gzipped } = await bundle()
    const acceptsGzip = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '')
    context.header('content-type', 'text/javascript; charset=utf-8')
    context.header('cache-control', 'private, max-age=86400')
    if (!acceptsGzip) return context.body(plain)
    context.header('content-encoding', 'gzip')
    return context.body(gzipped)
  })

  return pages
}
