import { ApiError } from './api-error.ts'

export interface PutRequest {
  /** A signed URL. Secret, so it is never part of an error. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly file: Blob
  readonly signal: AbortSignal | undefined
  readonly onProgress: ((sentBytes: number) => void) | undefined
}

/** Null if there was no response. */
type PutStatus = number | null

// Only XMLHttpRequest reports upload progress.
const putWithXhr = ({ url, headers, file, signal, onProgress }: PutRequest) =>
  new Promise<PutStatus>((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    xhr.open('PUT', url)
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = ({ loaded }) => onProgress?.(loaded)
    xhr.onload = () => resolve(xhr.status)
    xhr.onerror = () => resolve(null)
    xhr.onabort = () => reject(signal?.reason)
    xhr.onloadend = () => signal?.removeEventListener('abort', abort)
    signal?.addEventListener('abort', abort)
    xhr.send(file)
  })

const putWithFetch = async ({ url, headers, file, signal }: PutRequest): Promise<PutStatus> => {
  try {
    const response = await fetch(url, { method: 'PUT', headers, body: file, ...(signal ? { signal } : {}) })
    await response.body?.cancel()
    return response.status
  } catch {
    signal?.throwIfAborted()
    return null
  }
}

/** Returns the error if another attempt may succeed, and throws it if not. */
export const putFile = async (request: PutRequest): Promise<ApiError | null> => {
  request.signal?.throwIfAborted()
  const put = typeof XMLHttpRequest === 'undefined' ? putWithFetch : putWithXhr
  const status = await put(request)
  if (status === null)
    return new ApiError({
      code: 'connection_failed',
      message: 'upload: the connection to the object store failed; in a browser, check its CORS rules',
    })
  if (status >= 200 && status < 300) {
    request.onProgress?.(request.file.size)
    return null
  }
  const error = new ApiError({
    code: 'upload_rejected',
    message: `upload: the object store rejected the file (${status})`,
    status,
  })
  if (status < 500 && status !== 429) throw error
  return error
}
