import type { TestAccount } from './gateway.ts'

export interface UploadedFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

type Kind = 'versions' | 'artwork' | 'documents'

export const createFile = (change: Partial<UploadedFile> = {}): UploadedFile => ({
  fileName: 'night-drive.wav',
  contentType: 'audio/wav',
  bytes: new TextEncoder().encode('not really a sound'),
  ...change,
})

export const createIntent = async (
  account: TestAccount,
  trackId: string,
  { fileName, contentType, bytes }: UploadedFile,
  kind: Kind = 'versions',
) => {
  const response = await account.post(`/v1/tracks/${trackId}/${kind}/uploads`, {
    fileName,
    contentType,
    byteSize: bytes.length,
  })
  if (response.status !== 201)
    throw new Error(`the upload intent was rejected: ${JSON.stringify(response.body)}`)
  return response.body
}

/** Sends the bytes exactly as the intent's fields say, with nothing added. */
export const putBytes = (
  intent: { signedUrl: string; method: string; requiredHeaders: Record<string, string> },
  bytes: Uint8Array<ArrayBuffer>,
) => fetch(intent.signedUrl, { method: intent.method, headers: intent.requiredHeaders, body: bytes })

/** Creates an upload intent and sends the file; returns the intent without finalizing it. */
export const putFile = async (
  account: TestAccount,
  trackId: string,
  file: UploadedFile = createFile(),
  kind: Kind = 'versions',
) => {
  const intent = await createIntent(account, trackId, file, kind)
  const response = await putBytes(intent, file.bytes)
  if (!response.ok) throw new Error(`the store rejected the bytes: ${response.status}`)
  return intent
}

export const finalizeUpload = (account: TestAccount, intent: { finalizeUrl: string }) =>
  account.post(new URL(intent.finalizeUrl).pathname)

export const uploadFile = async (
  account: TestAccount,
  trackId: string,
  file: UploadedFile = createFile(),
  kind: Kind = 'versions',
) => {
  const { body, status } = await finalizeUpload(account, await putFile(account, trackId, file, kind))
  if (status !== 200) throw new Error(`the upload was not finalized: ${JSON.stringify(body)}`)
  return body
}
