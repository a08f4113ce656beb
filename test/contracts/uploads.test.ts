import { describe, expect, it } from 'vitest'
import { ArtworkUpload, AudioUpload, contentTypeAliases, DocumentUpload } from '#contracts/shared/uploads.ts'
import { issuePaths } from './inputs.ts'

const wav = { fileName: 'mix.wav', contentType: 'audio/wav', byteSize: 1 }

describe('upload inputs', () => {
  it.each([
    [AudioUpload, ' Audio/WAV; codecs=1', 'audio/wav'],
    [AudioUpload, 'audio/vnd.wave', 'audio/vnd.wave'],
    [ArtworkUpload, 'IMAGE/JPEG', 'image/jpeg'],
    [DocumentUpload, 'text/plain;charset=utf-8', 'text/plain'],
    [DocumentUpload, 'application/pdf', 'application/pdf'],
    [DocumentUpload, 'image/png', 'image/png'],
    [
      DocumentUpload,
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
  ])('normalize the content type and remove its parameters (%#)', (schema, contentType, mediaType) => {
    expect(schema.parse({ ...wav, contentType })).toMatchObject({ contentType: mediaType })
  })

  it('accept aliases of content types', () => {
    for (const [schema, aliases] of [
      [AudioUpload, contentTypeAliases.audio],
      [ArtworkUpload, contentTypeAliases.image],
      [DocumentUpload, contentTypeAliases.document],
    ] as const)
      for (const contentType of aliases)
        expect(schema.parse({ ...wav, contentType: `${contentType}; x=y` })).toMatchObject({ contentType })
  })

  it.each([
    [AudioUpload, 'video/quicktime'],
    [DocumentUpload, 'video/mp4'],
    [AudioUpload, 'image/png'],
    [AudioUpload, 'audio/midi'],
    [AudioUpload, 'audio'],
    [AudioUpload, ''],
    [AudioUpload, 'audio/wav, text/html'],
    [ArtworkUpload, 'image/svg+xml'],
    [ArtworkUpload, 'application/pdf'],
    [DocumentUpload, 'image/svg+xml'],
    [DocumentUpload, 'text/html'],
    [DocumentUpload, 'audio/wav'],
    [DocumentUpload, 'application/octet-stream'],
    [AudioUpload, null],
  ])('reject a content type of a different kind (%#: %j)', (schema, contentType) => {
    expect(issuePaths(schema, { ...wav, contentType })).toEqual(['contentType'])
  })

  it.each(['mix.wav', ' mix.wav ', 'Übung "1".wav', '..wav'])('accept the file name %j', (fileName) => {
    expect(AudioUpload.parse({ ...wav, fileName }).fileName).toBe(fileName.trim())
  })

  it.each(['', '  ', 'a/b.wav', '..\\mix.wav', 'mix\u0000.wav', 'mix\r\n.wav', 'x'.repeat(256), null])(
    'reject the file name %j',
    (fileName) => {
      expect(issuePaths(AudioUpload, { ...wav, fileName })).toEqual(['fileName'])
    },
  )

  it.each([0, -1, 1.5, '1', null, Number.MAX_SAFE_INTEGER + 1])('reject a size of %j bytes', (byteSize) => {
    expect(issuePaths(AudioUpload, { ...wav, byteSize })).toEqual(['byteSize'])
  })

  it('accept a title and a type for a document', () => {
    const pdf = { ...wav, contentType: 'application/pdf' }
    expect(DocumentUpload.parse(pdf)).toEqual({ ...pdf, title: null })
    expect(DocumentUpload.parse({ ...pdf, title: ' Deal ', documentType: 'contract' })).toMatchObject({
      title: 'Deal',
      documentType: 'contract',
    })
    expect(issuePaths(DocumentUpload, { ...pdf, documentType: 'novel' })).toEqual(['documentType'])
  })
})
