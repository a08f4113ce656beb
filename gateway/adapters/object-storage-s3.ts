import { AwsV4Signer } from 'aws4fetch'
import { ApiError } from '#contracts/errors.ts'
import type { SignedAddress, StoragePort } from '#native-routes/ports.ts'

export interface ObjectStorageSettings {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

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

// Asking and removing take an instant; a copy takes as long as the store needs for the bytes, and no request waits
// for one.
const timeoutMs = { HEAD: 4000, DELETE: 4000, PUT: 280_000 }

// RFC 3986 section 2.3: what encodeURIComponent leaves although it is not unreserved.
const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** RFC 6266: an ASCII name for every client, and the whole name (RFC 8187) for those that know it. */
const attachmentNamed = (fileName: string) => {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const extended = ascii === fileName ? '' : `; filename*=UTF-8''${percentEncode(fileName.toWellFormed())}`
  return `attachment; filename="${ascii}"${extended}`
}

// Signatures know whole seconds.
const signingMoment = () => {
  const now = new Date()
  now.setUTCMilliseconds(0)
  return { now, datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, '') }
}

/**
 * The store behind any S3 endpoint, addressed by path. Addresses are signed with AWS Signature Version 4 and every
 * header that matters is part of the signature, so that the store itself refuses what was not announced.
 */
export const createS3ObjectStorage = ({
  endpoint,
  bucket,
  ...credentials
}: ObjectStorageSettings): StoragePort => {
  const root = `${endpoint.replace(/\/+$/, '')}/${bucket}`
  const addressOf = (key: string) => new URL(`${root}/${key.split('/').map(percentEncode).join('/')}`)
  const cache = new Map<string, ArrayBuffer>()
  const sign = (request: SigningInput) =>
    new AwsV4Signer({ service: 's3', allHeaders: true, cache, ...credentials, ...request }).sign()

  const presign = async (
    method: string,
    url: URL,
    { expiresInS, headers = {} }: { expiresInS: number; headers?: Record<string, string> },
  ): Promise<SignedAddress> => {
    const { now, datetime } = signingMoment()
    url.searchParams.set('X-Amz-Expires', String(expiresInS))
    const signed = await sign({ method, url: url.href, headers, datetime, signQuery: true })
    // A plus sign is a space to some stores and a plus to others.
    return {
      url: signed.url.href.replaceAll('+', '%20'),
      expiresAt: new Date(now.valueOf() + expiresInS * 1000).toISOString(),
    }
  }

  const send = async ({ method, key, headers = {}, signal }: StoreRequest) => {
    try {
      const signed = await sign({ method, url: addressOf(key).href, headers })
      const deadline = AbortSignal.timeout(timeoutMs[method])
      const response = await fetch(signed.url, {
        method,
        headers: signed.headers,
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      })
      // S3 can answer a copy with 200 and put the error into the body.
      const text = await response.text()
      if (response.ok && !/<Error[\s>]/.test(text)) return response
      if (response.status === 404) return null
      throw new Error(`the object store answered ${method} with ${response.status}`)
    } catch (cause) {
      throw new ApiError('storage_unavailable', {}, { cause, headers: { 'retry-after': '1' } })
    }
  }

  return {
    async presignPut(key, { contentType, byteSize, expiresInS }) {
      const headers = { 'content-type': contentType, 'content-length': String(byteSize) }
      const address = await presign('PUT', addressOf(key), { expiresInS, headers })
      // Every HTTP client sets the length itself, and a browser lets nobody else do it.
      return { ...address, requiredHeaders: { 'content-type': contentType } }
    },

    presignGet(key, { expiresInS, downloadAs, contentType }) {
      const url = addressOf(key)
      if (contentType !== undefined) url.searchParams.set('response-content-type', contentType)
      if (downloadAs !== undefined)
        url.searchParams.set('response-content-disposition', attachmentNamed(downloadAs))
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

    async copy(from, to, signal) {
      const source = `/${bucket}/${from.split('/').map(percentEncode).join('/')}`
      const headers = { 'x-amz-copy-source': source }
      const response = await send({ method: 'PUT', key: to, headers, ...(signal && { signal }) })
      if (!response) throw new ApiError('upload_object_missing')
    },

    async remove(key) {
      await send({ method: 'DELETE', key })
    },
  }
}
