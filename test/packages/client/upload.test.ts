import { describe, expect, it } from 'vitest'
import { chooseContentType, mediaTypeTables } from '#client/media-types.ts'
import { uploadArtwork, uploadDocument, uploadVersion } from '#client/upload.ts'
import { audioContentTypes, documentContentTypes, imageContentTypes } from '#contracts/shared/uploads.ts'
import { disconnect, respond, startScriptedServer } from './scripted-server.ts'

const trackId = 'trk_1'
const file = new File(['sound '.repeat(1000)], 'song.wav', { type: 'audio/wav' })
const finalized = { uploadId: 'upl_1', trackId, assetId: 'ast_1', status: 'finalized', kind: 'version' }
const storeError = respond(500, null)

describe('a client upload', () => {
  const server = startScriptedServer()

  const intent = () =>
    respond(201, {
      uploadId: 'upl_1',
      trackId,
      assetId: 'ast_1',
      signedUrl: `${server.url()}/store/object?signature=secret-signature`,
      method: 'PUT',
      expiresAt: '2030-01-01T00:00:00.000Z',
      requiredHeaders: { 'content-type': 'audio/wav', 'x-amz-meta-upload': 'upl_1' },
      finalizeUrl: `http://another.example/v1/tracks/${trackId}/uploads/upl_1/finalize`,
    })
  const sent = () => server.requests().map(({ method, path }) => `${method} ${path.split('?', 1)[0]}`)
  const puts = () => server.requests().filter(({ method }) => method === 'PUT')

  it('declares the file, sends it to the object store and finalizes it', async () => {
    server.script(intent(), respond(200, null), respond(200, finalized))
    const fractions: number[] = []
    const onProgress = (fraction: number) => fractions.push(fraction)
    expect(await uploadVersion(server.createClient(), { trackId, file, onProgress })).toEqual(finalized)
    expect(sent()).toEqual([
      `POST /v1/tracks/${trackId}/versions/uploads`,
      'PUT /store/object',
      `POST /v1/tracks/${trackId}/uploads/upl_1/finalize`,
    ])
    const [declared, put] = server.requests()
    expect(JSON.parse(declared?.body ?? '')).toEqual({
      fileName: 'song.wav',
      contentType: 'audio/wav',
      byteSize: 6000,
    })
    expect(put?.body).toBe(await file.text())
    expect(put?.headers).toMatchObject({ 'content-type': 'audio/wav', 'x-amz-meta-upload': 'upl_1' })
    expect(put?.headers).toMatchObject({ 'content-length': '6000' })
    expect(put?.headers).not.toHaveProperty('authorization')
    expect(fractions.at(-1)).toBe(1)
  })

  it('sends the file again if the object store fails', async () => {
    server.script(intent(), storeError, disconnect, respond(200, null), respond(200, finalized))
    await uploadVersion(server.createClient(), { trackId, file })
    expect(puts().map(({ body }) => body.length)).toEqual([6000, 6000, 6000])
  })

  it('fails immediately if the object store rejects the file, without revealing the signed URL', async () => {
    server.script(intent(), respond(403, null))
    const error = await uploadVersion(server.createClient(), { trackId, file }).catch(
      (caught: unknown) => caught as Error,
    )
    expect(error).toMatchObject({ code: 'upload_rejected', status: 403 })
    expect(JSON.stringify({ ...error, text: String(error) })).not.toContain('secret-signature')
    expect(puts().length).toBe(1)
  })

  it("fails with its signal's reason if aborted while sending the file, and is not finalized", async () => {
    const controller = new AbortController()
    const reason = new Error('the page was closed')
    server.script(intent(), () => controller.abort(reason), respond(200, finalized))
    const upload = uploadVersion(server.createClient(), { trackId, file, signal: controller.signal })
    await expect(upload).rejects.toBe(reason)
    expect(sent().length).toBe(2)
  })

  it('requires a name and a type for the file', async () => {
    const client = server.createClient()
    const unnamed = { trackId, file: new Blob(['a'], { type: 'audio/wav' }) }
    await expect(uploadVersion(client, unnamed)).rejects.toThrow('fileName is required')
    const untyped = { trackId, file: new File(['a'], 'song') }
    await expect(uploadVersion(client, untyped)).rejects.toThrow('contentType is required')
    expect(server.requests()).toEqual([])
  })

  const uploads = { audio: uploadVersion, image: uploadArtwork, document: uploadDocument }
  const declare = async (kind: keyof typeof uploads, name: string, type: string) => {
    server.script(intent(), respond(200, null), respond(200, finalized))
    await uploads[kind](server.createClient(), { trackId, file: new File(['a'], name, { type }) })
    return JSON.parse(server.requests()[0]?.body ?? '').contentType
  }

  it.each([
    ['audio', 'a.m4a', 'audio/x-m4a', 'audio/x-m4a'],
    ['audio', 'a.m4a', 'audio/m4a', 'audio/mp4'],
    ['audio', 'a.m4a', 'audio/mp4a-latm', 'audio/mp4'],
    ['audio', 'a.m4a', 'audio/mpeg', 'audio/mp4'],
    ['audio', 'a.mp3', 'audio/mpeg', 'audio/mpeg'],
    ['audio', 'a.m4b', 'audio/x-m4b', 'audio/mp4'],
    ['audio', 'a.mp4', 'video/mp4', 'audio/mp4'],
    ['audio', 'a.wave', '', 'audio/wav'],
    ['audio', 'A.WAVE', 'application/octet-stream', 'audio/wav'],
    ['audio', 'a.bwf', '', 'audio/wav'],
    ['audio', 'take.webm', 'video/webm', 'audio/webm'],
    ['audio', 'blob', 'audio/webm;codecs=opus', 'audio/webm'],
    ['audio', 'a.mka', 'video/x-matroska', 'audio/webm'],
    ['audio', 'a.aifc', 'audio/x-aifc', 'audio/aiff'],
    ['audio', 'a.aac', 'audio/vnd.dlna.adts', 'audio/aac'],
    ['audio', 'a.ogg', 'video/ogg', 'audio/ogg'],
    ['audio', 'a.opus', 'audio/x-opus+ogg', 'audio/opus'],
    ['audio', 'a.mp3', 'audio/x-mp3', 'audio/mpeg'],
    ['audio', 'a.mid', 'audio/midi', 'audio/midi'],
    ['image', 'a.jfif', 'image/pjpeg', 'image/jpeg'],
    ['image', 'a.png', 'image/apng', 'image/png'],
    ['image', 'a.HEIC', '', 'image/heic'],
    ['image', 'a.heic', 'image/heic-sequence', 'image/heic'],
    ['document', 'a.rtf', 'text/rtf', 'application/rtf'],
    ['document', 'a.csv', 'application/vnd.ms-excel', 'text/csv'],
    ['document', 'a.xls', 'application/vnd.ms-excel', 'application/vnd.ms-excel'],
    ['document', 'a.md', '', 'text/markdown'],
    ['document', 'a.odt', 'application/zip', 'application/vnd.oasis.opendocument.text'],
    ['document', 'scan.tif', 'image/x-tiff', 'image/tiff'],
  ] as const)('for the %s file %s of type "%s", declares %s', async (kind, name, reported, expected) => {
    expect(await declare(kind, name, reported)).toBe(expected)
  })

  it('keeps every type that the core accepts, and declares no other', async () => {
    const allowed = { audio: audioContentTypes, image: imageContentTypes, document: documentContentTypes }
    for (const kind of ['audio', 'image', 'document'] as const) {
      for (const type of allowed[kind]) expect(chooseContentType(kind, type, 'file')).toBe(type)
      for (const { type } of mediaTypeTables[kind]) expect(allowed[kind]).toContain(type)
    }
  })

  it("declares a document's title and type", async () => {
    server.script(intent(), respond(200, null), respond(200, { ...finalized, kind: 'document' }))
    const contract = new Blob(['a'], { type: 'application/pdf' })
    const options = {
      trackId,
      file: contract,
      fileName: 'a.pdf',
      title: 'Deal',
      documentType: 'contract',
    } as const
    await uploadDocument(server.createClient(), options)
    expect(JSON.parse(server.requests()[0]?.body ?? '')).toEqual({
      fileName: 'a.pdf',
      contentType: 'application/pdf',
      byteSize: 1,
      title: 'Deal',
      documentType: 'contract',
    })
  })
})
