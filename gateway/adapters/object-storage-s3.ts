import { AwsV4Signer } from 'aws4fetch'
import { ApiError } from '#contracts/errors.ts'
import type { PresignedUrl, StoragePort } from '#native-routes/ports.ts'
import { fetchTraced } from '#shared/fetch-traced.ts'
import type { readStorageOptions } from '../settings/media.ts'

type ObjectStorageSettings = ReturnType<typeof readStorageOptions>

type SigningInput = Pick<
  ConstructorParameters<typeof AwsV4Signer>[0],
  'method' | 'url' | 'headers' | 'datetime' | 'signQuery'
>

interface StoreRequest {
  readonly method: 'HEAD' | 'PUT' | 'DELETE'
  readonly key: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

// HEAD and DELETE are fast. A copy (PUT) takes as long as the store needs to copy the bytes, but no request waits for
// it.
const timeoutMs = { HEAD: 4000, DELETE: 4000, PUT: 280_000 }

// A 404 may also come from a proxy in front of the store, or mean that the bucket is missing. A HEAD response has no
// body to tell them apart.
const isOfObject = (method: StoreRequest['method'], text: string) =>
  method === 'PUT' ? text.includes('<Code>NoSuchKey</Code>') : !text.includes('<Code>NoSuchBucket</Code>')

// Encodes all but the unreserved characters (RFC 3986, section 2.3). encodeURIComponent leaves five others unencoded.
const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** RFC 6266: an ASCII file name for every client, and the full one (RFC 8187) for those that support it. */
const formatContentDisposition = (fileName: string) => {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const extended = ascii === fileName ? '' : `; filename*=UTF-8''${percentEncode(fileName.toWellFormed())}`
  return `attachment; filename="${ascii}"${extended}`
}

// Signatures have one-second resolution.
const createSigningTime = () => {
  const now = new Date()
  now.setUTCMilliseconds(0)
  return { now, datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, '') }
}

/**
 * Presigned URLs cover every relevant header (AWS Signature Version 4), so the store itself rejects an upload that
 * differs from what was declared.
 */
export const createS3ObjectStorage = (settings: ObjectStorageSettings): StoragePort => {
  const { endpoint, bucket } = settings
  const root = `${endpoint.replace(/\/+$/, '')}/${bucket}`
  const createObjectUrl = (key: string) => new URL(`${root}/${key.split('/').map(percentEncode).join('/')}`)
  const cache = new Map<string, ArrayBuffer>()
  // Reads the keys for every signature, because they may change.
  const sign = (request: SigningInput) => {
    const { region, accessKeyId, secretAccessKey } = settings
    const credentials = { region, accessKeyId, secretAccessKey }
    return new AwsV4Signer({ service: 's3', allHeaders: true, cache, ...credentials, ...request }).sign()
  }

  const presign = async (
    method: string,
    url: URL,
    { expiresInS, headers = {} }: { expiresInS: number; headers?: Record<string, string> },
  ): Promise<PresignedUrl> => {
    const { now, datetime } = createSigningTime()
    url.searchParams.set('X-Amz-Expires', String(expiresInS))
    const signed = await sign({ method, url: url.href, headers, datetime, signQuery: true })
    // Some stores decode a plus sign as a space.
    return {
      url: signed.url.href.replaceAll('+', '%20'),
      expiresAt: new Date(now.valueOf() + expiresInS * 1000).toISOString(),
    }
  }

  const send = async ({ method, key, headers = {}, signal }: StoreRequest) => {
    try {
      const signed = await sign({ method, url: createObjectUrl(key).href, headers })
      const deadline = AbortSignal.timeout(timeoutMs[method])
      // `fetch` would offer gzip, and R2 then leaves Content-Length out of its responses about text files. Not signed,
      // because proxies may change it. The signature does not cover trace headers either.
      signed.headers.set('accept-encoding', 'identity')
      const response = await fetchTraced('object store', signed.url, {
        method,
        headers: signed.headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      })
      // S3 can return 200 for a copy and report an error in the body.
      const text = await response.text()
      if (response.ok && !/<Error[\s>]/.test(text)) return response
      if (response.status === 404 && isOfObject(method, text)) return null
      throw new Error(`the object store returned status ${response.status} for ${method}`)
    } catch (cause) {
      throw new ApiError('storage_unavailable', {}, { cause })
    }
  }

  return {
    async presignPut(key, { contentType, byteSize, expiresInS }) {
      const headers = { 'content-type': contentType, 'content-length': String(byteSize) }
      const presigned = await presign('PUT', createObjectUrl(key), { expiresInS, headers })
      // HTTP clients set Content-Length themselves, and browsers do not let scripts set it.
      return { ...presigned, requiredHeaders: { 'content-type': contentType } }
    },

    presignGet(key, { expiresInS, downloadAs, contentType }) {
      const url = createObjectUrl(key)
      if (contentType !== undefined) url.searchParams.set('response-content-type', contentType)
      if (downloadAs !== undefined)
        url.searchParams.set('response-content-disposition', formatContentDisposition(downloadAs))
      return presign('GET', url, { expiresInS })
    },

    async find(key) {
      const response = await send({ method: 'HEAD', key })
      return (
        response && {
          byteSize: Number(response.headers.get('content-length') ?? 0),
          contentType: response.headers.get('content-type'),
        }
      )
    },

    async copy(from, to, contentType, signal) {
      const source = `/${bucket}/${from.split('/').map(percentEncode).join('/')}`
      const headers = {
        'x-amz-copy-source': source,
        'x-amz-metadata-directive': 'REPLACE',
        'content-type': contentType,
      }
      const response = await send({ method: 'PUT', key: to, headers, ...(signal && { signal }) })
      if (!response) throw new ApiError('upload_object_missing')
    },

    async remove(key) {
      await send({ method: 'DELETE', key })
    },
  }
}
