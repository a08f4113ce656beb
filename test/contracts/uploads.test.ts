import { describe, expect, it } from 'vitest'
import { ArtworkUpload, AudioUpload, DocumentUpload } from '#contracts/shared/uploads.ts'
import { faultPaths } from './inputs.ts'

const wav = { fileName: 'mix.wav', contentType: 'audio/wav', byteSize: 1 }

describe('an upload', () => {
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
  ])('takes a content type without its parameters (%#)', (schema, contentType, kept) => {
    expect(schema.parse({ ...wav, contentType })).toMatchObject({ contentType: kept })
  })

  it.each([
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
  ])('of another kind is refused (%#: %j)', (schema, contentType) => {
    expect(faultPaths(schema, { ...wav, contentType })).toEqual(['contentType'])
  })

  it.each(['mix.wav', ' mix.wav ', 'Übung "1".wav', '..wav'])('may be named %j', (fileName) => {
    expect(AudioUpload.parse({ ...wav, fileName }).fileName).toBe(fileName.trim())
  })

  it.each(['', '  ', 'a/b.wav', '..\\mix.wav', 'mix\u0000.wav', 'mix\r\n.wav', 'x'.repeat(256), null])(
    'must not be named %j',
    (fileName) => {
      expect(faultPaths(AudioUpload, { ...wav, fileName })).toEqual(['fileName'])
    },
  )

  it.each([0, -1, 1.5, '1', null, Number.MAX_SAFE_INTEGER + 1])('cannot hold %j bytes', (byteSize) => {
    expect(faultPaths(AudioUpload, { ...wav, byteSize })).toEqual(['byteSize'])
  })

  it('of a document may say what it is about', () => {
    const pdf = { ...wav, contentType: 'application/pdf' }
    expect(DocumentUpload.parse(pdf)).toEqual({ ...pdf, title: null })
    expect(DocumentUpload.parse({ ...pdf, title: ' Deal ', documentType: 'contract' })).toMatchObject({
      title: 'Deal',
      documentType: 'contract',
    })
    expect(faultPaths(DocumentUpload, { ...pdf, documentType: 'novel' })).toEqual(['documentType'])
  })
})
