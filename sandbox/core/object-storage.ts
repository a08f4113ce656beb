import { AwsV4Signer } from 'aws4fetch'

export interface StorageSettings {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

interface StoredObject {
  readonly byteSize: number
  readonly contentType: string
}

interface NamedFile {
  readonly fileName: string
  readonly contentType: string
}

type Method = 'GET' | 'HEAD' | 'PUT'

const percentEncoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** The Content-Disposition (RFC 6266) that has a browser save a file under its name. */
const attachment = (fileName: string) => {
  const plain = fileName.replace(/[^ -~]|["\\%]/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${percentEncoded(fileName)}`
}

/** A bucket of an S3 store. Without settings it exists all the same and every use of it fails. */
export const createObjectStorage = (settings: StorageSettings | null) => {
  const signerOf = (method: Method, key: string, query: Record<string, string>, headers = {}) => {
    if (!settings) throw new Error('no object storage is configured')
    const { endpoint, region, bucket, accessKeyId, secretAccessKey } = settings
    const signQuery = 'X-Amz-Expires' in query
    const parameters = signQuery ? `?${new URLSearchParams(query)}` : ''
    const url = `${endpoint.replace(/\/$/, '')}/${bucket}/${key}${parameters}`
    const credentials = { accessKeyId, secretAccessKey, region, service: 's3' }
    return new AwsV4Signer({ method, url, headers, signQuery, allHeaders: true, ...credentials })
  }

  const presign = async (
    method: Method,
    key: string,
    seconds: number,
    { query = {}, headers = {} }: { query?: Record<string, string>; headers?: Record<string, string> },
  ) => {
    const { url } = await signerOf(
      method,
      key,
      { 'X-Amz-Expires': String(seconds), ...query },
      headers,
    ).sign()
    // The signature covers a stricter encoding than URLSearchParams writes: it has no + for a space.
    url.search = [...url.searchParams].map((pair) => pair.map(percentEncoded).join('=')).join('&')
    return url.href
  }

  const send = async (method: Method, key: string, headers = {}) => {
    const signed = await signerOf(method, key, {}, headers).sign()
    const response = await fetch(signed.url, {
      method,
      headers: signed.headers,
      signal: AbortSignal.timeout(60_000),
    })
    // Also a copy that fails after its head was sent says so in its body.
    const failed = (await response.text()).includes('<Error>')
    if (response.status !== 404 && (!response.ok || failed))
      throw new Error(`the object storage answered ${method} with ${response.status}`)
    return response
  }

  return {
    /** An address that takes exactly these bytes for so many seconds. */
    signUpload: (key: string, { byteSize, contentType }: StoredObject, seconds: number) =>
      presign('PUT', key, seconds, {
        headers: { 'content-type': contentType, 'content-length': String(byteSize) },
      }),
    /** An address that answers with the bytes as what they were announced to be. */
    signReading: (key: string, contentType: string, seconds: number) =>
      presign('GET', key, seconds, { query: { 'response-content-type': contentType } }),
    signDownload: (key: string, { fileName, contentType }: NamedFile, seconds: number) =>
      presign('GET', key, seconds, {
        query: {
          'response-content-type': contentType,
          'response-content-disposition': attachment(fileName),
        },
      }),
    find: async (key: string): Promise<StoredObject | null> => {
      const { status, headers } = await send('HEAD', key)
      if (status === 404) return null
      return {
        byteSize: Number(headers.get('content-length')),
        contentType: headers.get('content-type') ?? '',
      }
    },
    copy: (from: string, to: string) =>
      send('PUT', to, { 'x-amz-copy-source': `/${settings?.bucket}/${from}` }),
  }
}

export type ObjectStorage = ReturnType<typeof createObjectStorage>
