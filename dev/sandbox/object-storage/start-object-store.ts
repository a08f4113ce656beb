import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import S3rver from '@20minutes/s3rver'
import AWSAccount from '@20minutes/s3rver/lib/models/account.js'
import v4 from '@20minutes/s3rver/lib/signature/v4.js'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createSandboxApp, serveOnLoopback } from '../listen.ts'
import { sandboxStorage } from './sandbox-storage.ts'

interface ObjectStoreOptions {
  readonly directory: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly port?: number
}

const percentEncode = (text: string) =>
  text.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

// A signature covers the query, with all but RFC 3986's unreserved characters percent-encoded. s3rver does not encode
// these five, so it rejects a signed Content-Disposition with an extended file name.
const { getStringToSign } = v4
v4.getStringToSign = (request, signature) =>
  getStringToSign({ ...request, querystring: percentEncode(request.querystring) }, signature)

// s3rver returns the whole object for `bytes=0-0`.
const patchFirstByteRange = (store: S3rver['store']) => {
  const getObject = store.getObject.bind(store)
  store.getObject = async (bucket, key, options) => {
    const object = await getObject(bucket, key, options)
    if (!object?.content || options?.start !== 0 || options.end !== 0) return object
    object.content.destroy()
    object.content = createReadStream(store.getResourcePath(bucket, key, 'object'), { start: 0, end: 0 })
    object.range = { start: 0, end: 0 }
    return object
  }
}

const { region, bucket } = sandboxStorage

// Pages from any origin may use a presigned URL.
const cors = `<CORSConfiguration><CORSRule>
  <AllowedOrigin>*</AllowedOrigin>
  <AllowedMethod>GET</AllowedMethod><AllowedMethod>HEAD</AllowedMethod><AllowedMethod>PUT</AllowedMethod>
  <AllowedHeader>*</AllowedHeader>
  <ExposeHeader>ETag</ExposeHeader><ExposeHeader>Content-Range</ExposeHeader><ExposeHeader>Accept-Ranges</ExposeHeader>
  <MaxAgeSeconds>600</MaxAgeSeconds>
</CORSRule></CORSConfiguration>`

const isSigned = ({ url = '', headers }: IncomingMessage) =>
  new URLSearchParams(url.split('?', 2)[1]).has('X-Amz-Signature') ||
  (headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ')

const accessDenied = '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>'

/**
 * Starts an S3 endpoint on loopback that rejects requests not signed with these keys. URLs are path-style:
 * `endpoint/bucket/key`.
 */
export const startObjectStore = async (options: ObjectStoreOptions) => {
  const { directory, accessKeyId, secretAccessKey, port = 0 } = options
  await mkdir(directory, { recursive: true })
  const account = new AWSAccount(1, 'sandbox')
  account.createKeyPair(accessKeyId, secretAccessKey)
  const s3rver = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket, configs: [cors] }],
  })
  patchFirstByteRange(s3rver.store)
  await s3rver.configureBuckets()

  const serve = s3rver.callback()
  const readSize = async ({ url = '' }: IncomingMessage) => {
    const key = decodeURIComponent(url.split('?', 1)[0] ?? '').slice(`/${bucket}/`.length)
    return (await s3rver.store.getMetadata(bucket, key))['content-length']
  }
  // s3rver returns the first 500 bytes for `bytes=-500`, and cannot parse several ranges. RFC 9110, section 14.2 lets a
  // server ignore an unsupported range.
  const normalizeRange = async (request: IncomingMessage) => {
    const { range } = request.headers
    if (range === undefined || /^bytes=\d+-\d*$/.test(range)) return
    const suffix = /^bytes=-(\d{1,15})$/.exec(range)
    delete request.headers.range
    if (!suffix) return
    const [size, length] = [await readSize(request), Number(suffix[1])]
    request.headers.range = `bytes=${length === 0 ? size : Math.max(0, size - length)}-`
  }

  const app = createSandboxApp()
  app.all('*', async ({ env: { incoming, outgoing }, body }) => {
    if (incoming.method !== 'OPTIONS' && !isSigned(incoming))
      return body(accessDenied, 403, { 'content-type': 'application/xml' })
    await normalizeRange(incoming).catch(() => undefined)
    serve(incoming, outgoing)
    return RESPONSE_ALREADY_SENT
  })
  const { url: endpoint, close } = await serveOnLoopback(app, port)
  return {
    endpoint,
    region,
    bucket,
    close: async () => {
      account.revokeAccessKey(accessKeyId)
      await close()
    },
  }
}

export type ObjectStore = Awaited<ReturnType<typeof startObjectStore>>
