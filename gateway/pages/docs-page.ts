import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { createPageResponse, type PageApp } from './page-app.ts'

const assets = {
  '/docs/reader.js': { file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  '/docs/reader.css': { file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
} as const

// Swagger UI is third-party code: the policy restricts it to this origin.
const createContentPolicy = (nonce: string) =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const renderPage = (nonce: string) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crossfade API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/reader.css">
</head>
<body>
<div id="reader"></div>
<script src="/docs/reader.js" nonce="${nonce}"></script>
<script nonce="${nonce}">
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reader', deepLinking: true, docExpansion: 'none', validatorUrl: null })
</script>
</body>
</html>
`

const compress = promisify(gzip)

const loadAsset = async (file: string) => {
  const plain = await readFile(new URL(file, import.meta.resolve('swagger-ui-dist/package.json')))
  return { plain, gzipped: await compress(plain) }
}

const memoizeByName = <T>(read: (name: string) => Promise<T>) => {
  const results = new Map<string, Promise<T>>()
  return (name: string) => {
    const result = results.get(name) ?? read(name)
    results.set(name, result)
    // A failed read is tried again by the next request.
    result.catch(() => results.delete(name))
    return result
  }
}

/** Creates `/docs`, which renders the OpenAPI document with Swagger UI. All of its assets are served locally. */
export const createDocsPages = (): PageApp => {
  const pages: PageApp = new Hono()
  const readAsset = memoizeByName(loadAsset)

  pages.get('/docs', async () => {
    const nonce = crypto.randomUUID()
    return createPageResponse(String(await renderPage(nonce)), {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': createContentPolicy(nonce),
      'referrer-policy': 'no-referrer',
    })
  })

  for (const [path, { file, type }] of Object.entries(assets))
    pages.get(path, async (context) => {
      const { plain, gzipped } = await readAsset(file)
      const acceptsGzip = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '')
      return acceptsGzip
        ? createPageResponse(gzipped, { 'content-type': type, 'content-encoding': 'gzip' })
        : createPageResponse(plain, { 'content-type': type })
    })

  return pages
}
