import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { defaultLimits } from '#dev/sandbox/core/media-limits.ts'
import { invalidPaths, makeTrack, timestamp } from './running-core.ts'
import { createUploadIntent, putBytes, runStoringCore, type StoringCore } from './storing-core.ts'

let core: StoringCore
beforeAll(async () => {
  core = await runStoringCore()
})
afterAll(() => core.close())

const createTrack = async () => {
  const alice = await core.signIn()
  return { alice, trackId: await makeTrack(alice) }
}

describe('tracks.versions.upload', () => {
  it('returns a signed URL and the finalize URL', async () => {
    const { alice, trackId } = await createTrack()
    const { status, body } = await alice.post(`/v1/tracks/${trackId}/versions/uploads`, {
      fileName: ' Tide (final).wav ',
      contentType: 'Audio/WAV; codecs=1',
      byteSize: 4,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      uploadId: expect.any(String),
      trackId,
      assetId: expect.any(String),
      signedUrl: expect.stringContaining(core.storageEndpoint),
      method: 'PUT',
      expiresAt: expect.stringMatching(timestamp),
      requiredHeaders: { 'content-type': 'audio/wav' },
      finalizeUrl: `${core.url}/v1/tracks/${trackId}/uploads/${body.uploadId}/finalize`,
    })
    const seconds = (Date.parse(body.expiresAt) - Date.now()) / 1000
    expect(Math.abs(seconds - defaultLimits.uploadSeconds)).toBeLessThan(10)
    expect(await putBytes(body, 'WAVE')).toBe(200)
  })

  it('signs the URL only for the declared size and content type', async () => {
    const { alice, trackId } = await createTrack()
    const intent = await createUploadIntent(alice, trackId, 'WAVE')
    expect(await putBytes(intent, 'WAVES')).toBe(403)
    expect(await putBytes({ ...intent, requiredHeaders: { 'content-type': 'text/html' } }, 'WAVE')).toBe(403)
  })

  it('builds the finalize URL from PUBLIC_BASE_URL or the forwarded headers', async () => {
    const { alice, trackId } = await createTrack()
    const request = {
      method: 'POST',
      body: '{"fileName":"a.wav","contentType":"audio/wav","byteSize":1}',
      headers: {
        authorization: `Bearer ${alice.token}`,
        'x-forwarded-host': 'api.example.test',
        'x-forwarded-proto': 'https',
      },
    }
    const { body } = await core.send(`/v1/tracks/${trackId}/versions/uploads`, request)
    expect(body.finalizeUrl).toMatch(/^https:\/\/api\.example\.test\/v1\/tracks\//)

    const other = await runStoringCore({ publicBaseUrl: 'https://music.example.test' })
    onTestFinished(other.close)
    const bob = await other.signIn()
    const intent = await createUploadIntent(bob, await makeTrack(bob), 'WAVE')
    expect(intent.finalizeUrl).toMatch(/^https:\/\/music\.example\.test\/v1\/tracks\//)
  })

  it.each([
    ['a path as name', { fileName: '../a.wav' }, 'fileName'],
    ['a Windows path as name', { fileName: 'a\\b.wav' }, 'fileName'],
    ['no name', { fileName: '' }, 'fileName'],
    ['a name of 256 characters', { fileName: 'x'.repeat(256) }, 'fileName'],
    ['a type that is not audio', { contentType: 'video/mp4' }, 'contentType'],
    ['no type', { contentType: undefined }, 'contentType'],
    ['an empty file', { byteSize: 0 }, 'byteSize'],
    ['a fraction of a byte', { byteSize: 1.5 }, 'byteSize'],
    ['more than the largest safe integer', { byteSize: 1e300 }, 'byteSize'],
    ['more than 1 GiB', { byteSize: 1024 ** 3 + 1 }, 'byteSize'],
  ])('rejects %s', async (_, change, path) => {
    const { alice, trackId } = await createTrack()
    const file = { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1024 ** 3, ...change }
    expect(invalidPaths(await alice.post(`/v1/tracks/${trackId}/versions/uploads`, file))).toEqual([path])
  })
})

describe('tracks.artwork.upload and tracks.documents.upload', () => {
  it.each([
    ['artwork', 'image/svg+xml', 1, 'contentType'],
    ['artwork', 'audio/wav', 1, 'contentType'],
    ['artwork', 'image/png', 20 * 1024 ** 2 + 1, 'byteSize'],
    ['documents', 'text/html', 1, 'contentType'],
    ['documents', 'application/pdf', 50 * 1024 ** 2 + 1, 'byteSize'],
  ])('reject an invalid file for %s: %s of %d bytes', async (folder, contentType, byteSize, path) => {
    const { alice, trackId } = await createTrack()
    const file = { fileName: 'a', contentType, byteSize }
    expect(invalidPaths(await alice.post(`/v1/tracks/${trackId}/${folder}/uploads`, file))).toEqual([path])
  })

  it.each([
    ['artwork', 'image/heic'],
    ['documents', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['documents', 'application/vnd.oasis.opendocument.text'],
    ['documents', 'text/csv'],
    ['documents', 'image/png'],
  ])('accept a file for %s: %s', async (folder, contentType) => {
    const { alice, trackId } = await createTrack()
    const file = { fileName: 'a', contentType, byteSize: 1 }
    expect((await alice.post(`/v1/tracks/${trackId}/${folder}/uploads`, file)).status).toBe(201)
  })

  it("store a document's title and type", async () => {
    const { alice, trackId } = await createTrack()
    const documents = `/v1/tracks/${trackId}/documents/uploads`
    const file = { fileName: 'deal.pdf', contentType: 'application/pdf', byteSize: 3 }
    const titled = await alice.post(documents, { ...file, title: ' The deal ', documentType: 'contract' })
    const plain = await alice.post(documents, { ...file, title: null })
    for (const { body } of [titled, plain]) {
      await putBytes(body, 'PDF')
      await alice.post(new URL(body.finalizeUrl).pathname)
    }
    const { body } = await alice.get(`/v1/tracks/${trackId}/media-assets`)
    expect(body).toMatchObject({
      artwork: [],
      documents: [
        { id: plain.body.assetId, title: null, documentType: null },
        { id: titled.body.assetId, title: 'The deal', documentType: 'contract' },
      ],
    })
    expect(invalidPaths(await alice.post(documents, { ...file, documentType: 'poem' }))).toEqual([
      'documentType',
    ])
  })
})
