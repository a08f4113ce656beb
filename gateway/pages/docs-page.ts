import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { html } from 'hono/html'
import { Hono } from 'hono/tiny'
import { type Pages, pageResponse } from './create-pages.ts'

const served = {
  '/docs/reader.js': { file: 'swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8' },
  '/docs/reader.css': { file: 'swagger-ui.css', type: 'text/css; charset=utf-8' },
} as const

// The reader is somebody else's script: the browser lets it reach this origin and nothing else, whatever it tries.
const contentPolicy = (nonce: string) =>
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

const pageWith = (nonce: string) => html`<!doctype html>
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

const compressed = promisify(gzip)

const load = async (file: string) => {
  const plain = await readFile(new URL(file, import.meta.resolve('swagger-ui-dist/package.json')))
  return { plain, gzipped: await compressed(plain) }
}

const onceEach = <T>(read: (name: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>()
  return (name: string) => {
    const reading = known.get(name) ?? read(name)
    known.set(name, reading)
    // What could not be read may be readable the next time.
    reading.catch(() => known.delete(name))
    return reading
  }
}

/** `/docs`: the API description for people, with everything it loads served from here. */
export const createDocsPages = (): Pages => {
  const pages: Pages = new Hono()
  const loaded = onceEach(load)

  pages.get('/docs', async () => {
    const nonce = crypto.randomUUID()
    return pageResponse(String(await pageWith(nonce)), {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': contentPolicy(nonce),
      'referrer-policy': 'no-referrer',
    })
  })

  for (const [path, { file, type }] of Object.entries(served))
    pages.get(path, async (context) => {
      const { plain, gzipped } = await loaded(file)
      const acceptsGzip = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '')
      return acceptsGzip
        ? pageResponse(gzipped, { 'content-type': type, 'content-encoding': 'gzip' })
        : pageResponse(plain, { 'content-type': type })
    })

  return pages
}
