import type { Client } from './calls.ts'
import { chooseContentType, type FileKind } from './media-types.ts'
import { putFile } from './put-file.ts'
import type { components } from './schema.ts'
import { wait } from './wait.ts'

type Schemas = components['schemas']

export interface UploadOptions {
  readonly trackId: string
  /** A file from an input element, or `await openAsBlob(path)` in Node. Unlike a stream, it can be sent again. */
  readonly file: Blob
  /** Defaults to the file's name. */
  readonly fileName?: string
  /**
   * Defaults to the file's type. Browsers and operating systems may report a different name for a type, or none. The
   * client then sends the name that the service accepts, chosen by file extension if necessary.
   */
  readonly contentType?: string
  readonly signal?: AbortSignal | undefined
  /**
   * Called with a number from 0 to 1 while bytes are sent. Without XMLHttpRequest (Node, Workers), only with 1 at the
   * end.
   */
  readonly onProgress?: (fraction: number) => void
}

export interface DocumentUploadOptions extends UploadOptions {
  readonly title?: string
  readonly documentType?: Schemas['DocumentUpload']['documentType']
}

const describeFile = (kind: FileKind, options: UploadOptions) => {
  const { file, fileName } = options
  const name = fileName ?? (typeof File !== 'undefined' && file instanceof File ? file.name : '')
  if (name === '') throw new TypeError('fileName is required for a blob without a name')
  const contentType = chooseContentType(kind, options.contentType ?? file.type, name)
  if (contentType === '') throw new TypeError('contentType is required for a file of an unknown type')
  return { fileName: name, contentType, byteSize: file.size }
}

const putDelaysMs = [500, 1000, 2000, 4000]

// A second upload to the same URL replaces the object, which is harmless until the upload is finalized.
const putAndFinalize = async (
  client: Client,
  { trackId, uploadId, signedUrl, requiredHeaders }: Schemas['UploadIntent'],
  { file, signal, onProgress }: UploadOptions,
) => {
  const report =
    onProgress && ((sentBytes: number) => onProgress(file.size === 0 ? 1 : sentBytes / file.size))
  for (let done = 0; ; done++) {
    const error = await putFile({
      url: signedUrl,
      headers: requiredHeaders,
      file,
      signal,
      onProgress: report,
    })
    if (!error) break
    const delayMs = putDelaysMs[done]
    if (delayMs === undefined) throw error
    await wait(delayMs * (1 - Math.random() / 2), signal)
  }
  return client.post('/v1/tracks/{trackId}/uploads/{uploadId}/finalize', {
    params: { path: { trackId, uploadId } },
    signal,
  })
}

/**
 * Uploads an audio file as a new version of a track. The service processes it in the background; see `waitUntilReady`.
 * @throws {ApiError} `upload_rejected` if the object store rejects the file, or what any call throws
 */
export const uploadVersion = async (client: Client, options: UploadOptions) => {
  const { trackId, signal } = options
  const intent = await client.post('/v1/tracks/{trackId}/versions/uploads', {
    params: { path: { trackId } },
    body: describeFile('audio', options),
    signal,
  })
  return putAndFinalize(client, intent, options)
}

/** Uploads an image as a track's artwork. Throws like `uploadVersion`. */
export const uploadArtwork = async (client: Client, options: UploadOptions) => {
  const { trackId, signal } = options
  const intent = await client.post('/v1/tracks/{trackId}/artwork/uploads', {
    params: { path: { trackId } },
    body: describeFile('image', options),
    signal,
  })
  return putAndFinalize(client, intent, options)
}

/** Uploads a document for a track. Throws like `uploadVersion`. */
export const uploadDocument = async (client: Client, options: DocumentUploadOptions) => {
  const { trackId, signal, title, documentType } = options
  const intent = await client.post('/v1/tracks/{trackId}/documents/uploads', {
    params: { path: { trackId } },
    body: {
      ...describeFile('document', options),
      ...(title === undefined ? {} : { title }),
      ...(documentType === undefined ? {} : { documentType }),
    },
    signal,
  })
  return putAndFinalize(client, intent, options)
}
