import { describe, expect, it } from 'vitest'
import { inspectAssetInChild } from '#jobs/analysis/analyse-in-child.ts'
import { inspectAsset } from '#jobs/analysis/inspect-asset.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { readMediaFile } from '#test/support/media/audio-files.ts'

describe('inspectAsset', () => {
  const { onDisk } = startAnalyses()

  it('returns the size of an image and rejects another declared type', async () => {
    const path = await onDisk(await readMediaFile('cover.png'))
    const never = new AbortController().signal
    expect(await inspectAssetInChild(path, 'image/png', never)).toEqual({
      failure: null,
      width: 40,
      height: 30,
    })
    expect(await inspectAsset(path, 'image/jpeg')).toMatchObject({ failure: { code: 'type_mismatch' } })
    expect(await inspectAsset(path, 'text/plain')).toMatchObject({ failure: { code: 'type_mismatch' } })
  })

  it.each([
    ['text/plain', new TextEncoder().encode('Grüße'), null],
    ['text/csv', new Uint8Array([97, 0, 98]), 'type_mismatch'],
    ['text/markdown', new TextEncoder().encode('%PDF-1.7\n%âãÏÓ\n1 0 obj'), 'type_mismatch'],
    ['application/pdf', new TextEncoder().encode('%PDF-1.7\n%âãÏÓ\n1 0 obj'), null],
    ['text/plain', new TextEncoder().encode('{\\rtf1 Grüße}'), 'type_mismatch'],
    ['text/plain', new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), 'type_mismatch'],
    ['application/pdf', new TextEncoder().encode('<html><script>'), 'type_mismatch'],
  ])('checks whether a document is %s', async (contentType, bytes, code) => {
    const { failure } = await inspectAsset(await onDisk(bytes), contentType)
    expect(failure?.code ?? null).toBe(code)
  })

  it.each([
    'BMI registration sheet',
    'BMG;Work;Share',
    'MZ Records',
    'solid mix',
    'FORM of consent',
    'MAC mini, left',
    'PARENT work',
    'ID3 tags to set',
    'BZh and others',
    '070707 is the date',
    '<?xml version="1.0"?>',
    'BEGIN:VCARD',
    'WEBVTT ',
  ])('accepts text that starts like the signature of a binary format: %s', async (start) => {
    const text = `${start}\r\n\tTítulo, größe\r\n`.repeat(50)
    for (const encoded of [Buffer.from(text), Buffer.from(`\ufeff${text}`), Buffer.from(text, 'latin1')])
      expect((await inspectAsset(await onDisk(new Uint8Array(encoded)), 'text/plain')).failure).toBeNull()
  })
})
