import type { TestAccount } from './gateway.ts'

export interface UploadedFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

type Kind = 'versions' | 'artwork' | 'documents'

export const aFile = (change: Partial<UploadedFile> = {}): UploadedFile => ({
  fileName: 'night-drive.wav',
  contentType: 'audio/wav',
  bytes: new TextEncoder().encode('not really a sound'),
  ...change,
})

/** Announces an upload of this file; answers the intent. */
export const announce = async (
  account: TestAccount,
  trackId: string,
  { fileName, contentType, bytes }: UploadedFile,
  kind: Kind = 'versions',
) => {
  const answer = await account.post(`/v1/tracks/${trackId}/${kind}/uploads`, {
    fileName,
    contentType,
    byteSize: bytes.length,
  })
  if (answer.status !== 201) throw new Error(`the upload was refused: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Puts the bytes as a client that knows nothing but the intent. */
export const putBytes = (
  intent: { signedUrl: string; method: string; requiredHeaders: Record<string, string> },
  bytes: Uint8Array<ArrayBuffer>,
) => fetch(intent.signedUrl, { method: intent.method, headers: intent.requiredHeaders, body: bytes })

/** Announces and puts a file; answers the intent, still to be finalized. */
export const put = async (
  account: TestAccount,
  trackId: string,
  file: UploadedFile = aFile(),
  kind: Kind = 'versions',
) => {
  const intent = await announce(account, trackId, file, kind)
  const response = await putBytes(intent, file.bytes)
  if (!response.ok) throw new Error(`the store refused the bytes: ${response.status}`)
  return intent
}

export const finalize = (account: TestAccount, intent: { finalizeUrl: string }) =>
  account.post(new URL(intent.finalizeUrl).pathname)

/** Uploads a file from announcement to finalizing; answers what finalizing said. */
export const upload = async (
  account: TestAccount,
  trackId: string,
  file: UploadedFile = aFile(),
  kind: Kind = 'versions',
) => {
  const { body, status } = await finalize(account, await put(account, trackId, file, kind))
  if (status !== 200) throw new Error(`the upload was not finalized: ${JSON.stringify(body)}`)
  return body
}
