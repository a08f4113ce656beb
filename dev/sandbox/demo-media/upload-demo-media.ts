import * as z from 'zod'
import { drawArtwork } from './draw-artwork.ts'
import { demoSongs } from './songs.ts'
import { synthesizeSong } from './synthesize.ts'

interface Service {
  readonly url: string
  /** A token of the demo tracks' owner. */
  readonly token: string
}

interface MediaFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Buffer
}

const Versions = z.object({ versions: z.array(z.unknown()) })
const UploadIntent = z.object({
  signedUrl: z.url(),
  finalizeUrl: z.url(),
  requiredHeaders: z.record(z.string(), z.string()),
})

const requireSuccess = async (response: Response) => {
  if (response.ok) return response
  await response.body?.cancel()
  throw new Error(`${new URL(response.url).pathname} returned ${response.status}`)
}

const uploadFile = async ({ url, token }: Service, path: string, file: MediaFile) => {
  const { fileName, contentType, bytes } = file
  const post = async (target: URL, body?: object) =>
    requireSuccess(
      await fetch(target, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    )
  const created = await post(new URL(path, url), { fileName, contentType, byteSize: bytes.length })
  const { signedUrl, finalizeUrl, requiredHeaders } = UploadIntent.parse(await created.json())
  const stored = await fetch(signedUrl, {
    method: 'PUT',
    headers: requiredHeaders,
    body: new Uint8Array(bytes),
  })
  await (await requireSuccess(stored)).body?.cancel()
  // The host of `finalizeUrl` may differ from the one used here.
  const finalized = await post(new URL(new URL(finalizeUrl).pathname, url))
  await finalized.body?.cancel()
}

/** Whether the track exists and has never had sound: an original version cannot be deleted. */
const isSilent = async ({ url, token }: Service, trackId: string) => {
  const authorization = `Bearer ${token}`
  const response = await fetch(new URL(`/v1/tracks/${trackId}/versions`, url), { headers: { authorization } })
  const isDeleted = response.status === 404
  if (!isDeleted) await requireSuccess(response)
  return !isDeleted && Versions.parse(await response.json()).versions.length === 0
}

/**
 * Synthesizes sound and draws artwork for each demo track without sound, and uploads both through the API like a
 * client. The job worker then processes them.
 */
export const uploadDemoMedia = async (service: Service): Promise<void> => {
  for (const song of demoSongs) {
    const { trackId, name } = song
    if (!(await isSilent(service, trackId))) continue
    // Uploads the sound last. If a start is killed in between, the next start uploads both again.
    await uploadFile(service, `/v1/tracks/${trackId}/artwork/uploads`, {
      fileName: `${name}.png`,
      contentType: 'image/png',
      bytes: drawArtwork(song),
    })
    await uploadFile(service, `/v1/tracks/${trackId}/versions/uploads`, {
      fileName: `${name}.wav`,
      contentType: 'audio/wav',
      bytes: synthesizeSong(song),
    })
  }
}
