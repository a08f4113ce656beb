import { describe, expect, it } from 'vitest'
import { inspectAssetInChild } from '#jobs/analysis/analyse-in-child.ts'
import { inspectAsset } from '#jobs/analysis/inspect-asset.ts'
import { startAnalyses } from '#test/support/media/analyses.ts'
import { readMediaFile } from '#test/support/media/audio-files.ts'

describe('inspectAsset', () => {
  const { onDisk } = startAnalyses()

  it("returns an image's size, and rejects an image whose declared type is different", async () => {
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
  ])('compares the content of a document declared as %s with that type', async (contentType, bytes, code) => {
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
  ])('accepts text that starts like a binary format: %s', async (start) => {
    const text = `${start}\r\n\tTítulo, größe\r\n`.repeat(50)
    for (const encoded of [Buffer.from(text), Buffer.from(`\ufeff${text}`), Buffer.from(text, 'latin1')])
      expect((await inspectAsset(await onDisk(new Uint8Array(encoded)), 'text/plain')).failure).toBeNull()
  })

  const utf16 = (text: string, isBigEndian = false) => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
    return isBigEndian ? bytes.swap16() : bytes
  }
  const inspect = async (bytes: Buffer | string, contentType: string) =>
    inspectAsset(
      await onDisk(new Uint8Array(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)),
      contentType,
    )

  it.each(['text/plain', 'text/csv', 'text/markdown'])(
    'accepts UTF-16 with a byte order mark as %s',
    async (type) => {
      const text = 'Título;größe\r\n\u{1F3B5}\t1\r\n'
      for (const length of [1, 5000])
        for (const isBigEndian of [false, true])
          expect(await inspect(utf16(text.repeat(length), isBigEndian), type)).toMatchObject({
            failure: null,
          })
      expect((await inspect(utf16('a\0b'), type)).failure?.code).toBe('type_mismatch')
      expect((await inspect(Buffer.from('fffe00d80000', 'hex'), type)).failure?.code).toBe('type_mismatch')
    },
  )

  it('accepts CSV that a browser declared as Excel, and stores it as CSV', async () => {
    const excel = 'application/vnd.ms-excel'
    for (const bytes of [Buffer.from('\ufeffa;b\r\n1;2\r\n'), Buffer.from('Größe', 'latin1'), utf16('a\tb')])
      expect(await inspect(bytes, excel)).toMatchObject({ failure: null, contentType: 'text/csv' })
    const markup = ['<?xml version="1.0"?><Workbook/>', '\ufeff\r\n<html><table>']
    const others = ['PK\x03\x04', 'a\0b', '%PDF-1.7', ...markup].map((text) => Buffer.from(text))
    for (const bytes of [...others, utf16('<html>'), utf16('<html>', true)])
      expect((await inspect(bytes, excel)).failure?.code).toBe('type_mismatch')
  })

  it('accepts a PDF whose header is within the first 1,024 bytes', async () => {
    const at = async (offset: number) =>
      (await inspect(`${'\r\n'.padEnd(offset, '@PJL ')}%PDF-1.7\n`, 'application/pdf')).failure
    for (const offset of [2, 500, 1020]) expect(await at(offset)).toBeNull()
    expect((await at(1021))?.code).toBe('type_mismatch')
  })

  it('stores the canonical media type of a file declared under an alias', async () => {
    expect(await inspect('{\\rtf1 Grüße}', 'text/rtf')).toMatchObject({
      failure: null,
      contentType: 'application/rtf',
    })
    const png = Buffer.from(await readMediaFile('cover.png'))
    expect(await inspect(png, 'image/apng')).toMatchObject({ contentType: 'image/png', width: 40 })
    expect((await inspect(png, 'text/rtf')).failure?.code).toBe('type_mismatch')
  })
})
