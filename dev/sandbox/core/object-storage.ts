import { AwsV4Signer } from 'aws4fetch'
import type { StorageSettings } from './settings.ts'

interface StoredObject {
  readonly byteSize: number
  readonly contentType: string
}

interface NamedFile {
  readonly fileName: string
  readonly contentType: string
}

type Method = 'GET' | 'HEAD' | 'PUT'

export const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000)

const percentEncode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Formats a Content-Disposition (RFC 6266) that makes browsers save the file under its name. */
const formatAttachment = (fileName: string) => {
  const asciiName = fileName.replace(/[^ -~]|["\\%]/g, '_')
  return `attachment; filename="${asciiName}"; filename*=UTF-8''${percentEncode(fileName)}`
}

// Raster images, audio and PDF.
const isDisplayed = (contentType: string) =>
  /^(audio\/|image\/(jpeg|png|webp|gif|avif|heic|heif|tiff)$|application\/pdf$)/.test(contentType)

export const createObjectStorage = (settings: StorageSettings | null) => {
  const createSigner = (method: Method, key: string, query: Record<string, string>, headers = {}) => {
    if (!settings)
      throw new Error('no object store is configured: set STORAGE_ENDPOINT and the other STORAGE_ settings')
    const { STORAGE_ENDPOINT: endpoint, STORAGE_BUCKET: bucket } = settings
    const signQuery = 'X-Amz-Expires' in query
    const parameters = signQuery ? `?${new URLSearchParams(query)}` : ''
    const url = `${endpoint.replace(/\/$/, '')}/${bucket}/${key}${parameters}`
    const credentials = {
      accessKeyId: settings.STORAGE_ACCESS_KEY_ID,
      secretAccessKey: settings.STORAGE_SECRET_ACCESS_KEY,
      region: settings.STORAGE_REGION,
      service: 's3',
    }
    return new AwsV4Signer({ method, url, headers, signQuery, allHeaders: true, ...credentials })
  }

  const presign = async (
    method: Method,
    key: string,
    seconds: number,
    { query = {}, headers = {} }: { query?: Record<string, string>; headers?: Record<string, string> },
  ) => {
    const { url } = await createSigner(
      method,
      key,
      { 'X-Amz-Expires': String(seconds), ...query },
      headers,
    ).sign()
    // The signature covers strict percent-encoding, but URLSearchParams writes + for a space.
    url.search = [...url.searchParams].map((pair) => pair.map(percentEncode).join('=')).join('&')
    return url.href
  }

  const signDownload = (key: string, { fileName, contentType }: NamedFile, seconds: number) =>
    presign('GET', key, seconds, {
      query: {
        'response-content-type': contentType,
        'response-content-disposition': formatAttachment(fileName),
      },
    })

  const send = async (method: Method, key: string, headers = {}) => {
    const signed = await createSigner(method, key, {}, headers).sign()
    const response = await fetch(signed.url, {
      method,
      headers: signed.headers,
      signal: AbortSignal.timeout(60_000),
    })
    // A copy can fail after its status 200 was sent. The body then contains the error.
    const failed = (await response.text()).includes('<Error>')
    if (response.status !== 404 && (!response.ok || failed))
      throw new Error(`the object store returned ${response.status} for ${method}`)
    return response
  }

  return {
    signUpload: (key: string, { byteSize, contentType }: StoredObject, seconds: number) =>
      presign('PUT', key, seconds, {
        headers: { 'content-type': contentType, 'content-length': String(byteSize) },
      }),
    /** Presigns a GET URL for a file. Browsers display the file unless its type can contain scripts. */
    signReading: (key: string, file: NamedFile, seconds: number) =>
      isDisplayed(file.contentType)
        ? presign('GET', key, seconds, { query: { 'response-content-type': file.contentType } })
        : signDownload(key, file, seconds),
    signDownload,
    find: async (key: string): Promise<StoredObject | null> => {
      const { status, headers } = await send('HEAD', key)
      if (status === 404) return null
      return {
        byteSize: Number(headers.get('content-length')),
        contentType: headers.get('content-type') ?? '',
      }
    },
    copy: (from: string, to: string) =>
      send('PUT', to, { 'x-amz-copy-source': `/${settings?.STORAGE_BUCKET}/${from}` }),
  }
}

export type ObjectStorage = ReturnType<typeof createObjectStorage>
