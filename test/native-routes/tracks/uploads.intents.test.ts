import { describe, expect, it } from 'vitest'
import {
  audioContentTypes,
  contentTypeAliases,
  documentContentTypes,
  imageContentTypes,
} from '#contracts/shared/uploads.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createFile, createIntent, putBytes } from '#test/support/uploads.ts'

const allowed = {
  versions: [...audioContentTypes, ...contentTypeAliases.audio],
  artwork: [...imageContentTypes, ...contentTypeAliases.image],
  documents: [...documentContentTypes, ...contentTypeAliases.document],
}
const kinds = Object.keys(allowed) as (keyof typeof allowed)[]

describe('upload intents', () => {
  const gateway = startTestGateway({
    storage: true,
    environment: {
      PUBLIC_BASE_URL: 'https://api.example/base/',
      UPLOAD_MAX_AUDIO_BYTES: '1000',
      UPLOAD_MAX_ARTWORK_BYTES: '100',
      UPLOAD_MAX_DOCUMENT_BYTES: '10',
      UPLOAD_URL_TTL_S: '60',
    },
  })
  const signUp = async () => {
    const account = await gateway.signUp()
    return { account, trackId: await insertTrackOf(gateway.database.sql, account.accountId) }
  }
  const file = { fileName: 'a.bin', contentType: 'audio/wav', byteSize: 10 }

  it('contain the signed URL, its expiry and the finalize URL', async () => {
    const { account, trackId } = await signUp()
    const before = Date.now()
    const { status, body } = await account.post(`/v1/tracks/${trackId}/versions/uploads`, file)
    expect(status).toBe(201)
    expect(body).toEqual({
      uploadId: expect.any(String),
      trackId,
      assetId: expect.any(String),
      signedUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\//),
      method: 'PUT',
      expiresAt: expect.stringMatching(/Z$/),
      requiredHeaders: { 'content-type': 'audio/wav' },
      finalizeUrl: `https://api.example/base/v1/tracks/${trackId}/uploads/${body.uploadId}/finalize`,
    })
    expect(Date.parse(body.expiresAt) - before).toBeGreaterThan(58_000)
    expect(Date.parse(body.expiresAt) - before).toBeLessThan(62_000)
    expect(body.signedUrl).not.toContain(account.accountId)
  })

  it('accept only the declared size and content type', async () => {
    const { account, trackId } = await signUp()
    const { bytes } = createFile()
    const intent = await createIntent(account, trackId, createFile())
    expect((await putBytes(intent, bytes.subarray(1))).status).toBe(403)
    const renamed = { ...intent, requiredHeaders: { 'content-type': 'text/html' } }
    expect((await putBytes(renamed, bytes)).status).toBe(403)
    expect((await putBytes(intent, bytes)).status).toBe(200)
  })

  it("add nothing to the track's lists before the upload is finalized", async () => {
    const { account, trackId } = await signUp()
    for (const kind of kinds)
      await createIntent(
        account,
        trackId,
        createFile({ contentType: allowed[kind][0]!, bytes: new Uint8Array(9) }),
        kind,
      )
    expect((await account.get(`/v1/tracks/${trackId}/versions`)).body.versions).toEqual([])
    expect((await account.get(`/v1/tracks/${trackId}/media-assets`)).body).toEqual({
      trackId,
      artwork: [],
      documents: [],
    })
  })

  it.each(kinds)(
    'for %s accept every type of this kind, even in upper case and with parameters',
    async (kind) => {
      const { account, trackId } = await signUp()
      for (const contentType of allowed[kind]) {
        const body = { ...file, contentType: `${contentType.toUpperCase()}; x=y` }
        const response = await account.post(`/v1/tracks/${trackId}/${kind}/uploads`, body)
        expect(response.status).toBe(201)
        expect(response.body.requiredHeaders).toEqual({ 'content-type': contentType })
      }
    },
  )

  it.each([
    ['versions', 'image/png'],
    ['versions', 'audio/midi'],
    ['artwork', 'image/svg+xml'],
    ['artwork', 'application/pdf'],
    ['documents', 'text/html'],
    ['documents', 'audio/wav'],
  ])('for %s reject the type %s', async (kind, contentType) => {
    const { account, trackId } = await signUp()
    const response = await account.post(`/v1/tracks/${trackId}/${kind}/uploads`, { ...file, contentType })
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'validation_error', issues: [{ path: 'contentType' }] })
  })

  it.each([
    ['versions', 'audio/wav', 1000],
    ['artwork', 'image/png', 100],
    ['documents', 'application/pdf', 10],
  ])('for %s reject one byte more than the limit', async (kind, contentType, maxBytes) => {
    const { account, trackId } = await signUp()
    const send = (byteSize: number) =>
      account.post(`/v1/tracks/${trackId}/${kind}/uploads`, { ...file, contentType, byteSize })
    expect((await send(maxBytes)).status).toBe(201)
    const response = await send(maxBytes + 1)
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'validation_error', issues: [{ path: 'byteSize' }] })
  })

  it.each([
    ['fileName', { fileName: '../../etc/passwd' }],
    ['fileName', { fileName: 'a\u0000b' }],
    ['fileName', { fileName: '' }],
    ['byteSize', { byteSize: 0 }],
    ['byteSize', { byteSize: 1.5 }],
    ['byteSize', { byteSize: '10' }],
    ['contentType', { contentType: 7 }],
  ])('reject an invalid %s: %j', async (path, change) => {
    const { account, trackId } = await signUp()
    const response = await account.post(`/v1/tracks/${trackId}/versions/uploads`, { ...file, ...change })
    expect(response.status).toBe(400)
    expect(response.body).toMatchObject({ error: 'validation_error', issues: [{ path }] })
  })
})
