import { describe, expect, it } from 'vitest'
import { mayOpenSameFile } from '#migration/diff/compare-generated.ts'

const sign = (key: string, terms: Readonly<Record<string, string>> = {}, origin = 'https://store.example') =>
  `${origin}/bucket/${key}?${new URLSearchParams({ 'X-Amz-Expires': '900', 'X-Amz-Signature': key, ...terms })}`

const saveAs = (disposition: string) => ({ 'response-content-disposition': `attachment; ${disposition}` })

describe('signed URLs', () => {
  it.each([
    ['equal', sign('a'), sign('a', { 'X-Amz-Signature': 'b' }), true],
    ['equal', sign('a'), sign('b'), false],
    ['near', sign('a'), sign('b'), true],
    ['near', sign('a'), sign('b', { 'X-Amz-Expires': '901' }), false],
    ['equal', sign('(a)'), sign('%28a%29', { 'X-Amz-Signature': '(a)' }), true],
    ['equal', sign('%'), sign('%', { 'X-Amz-Signature': '%' }), true],
    ['near', sign('a', { 'response-content-type': 'audio/wav' }), sign('b'), false],
    ['near', sign('a', saveAs('filename="a.wav"')), sign('a', saveAs('filename="b.wav"')), false],
    [
      'near',
      sign('a', saveAs('filename="a.wav"')),
      sign('a', saveAs(`filename="a.wav"; filename*=UTF-8''a.wav`)),
      true,
    ],
    ['equal', sign('a'), sign('b', {}, 'https://other.example'), true],
    ['any', sign('a'), sign('b', { 'X-Amz-Expires': '1' }), true],
  ] as const)('by the rule "%s", %s and %s may open the same file: %s', (times, native, core, expected) => {
    expect(mayOpenSameFile(times, native, core)).toBe(expected)
    expect(mayOpenSameFile(times, core, native)).toBe(expected)
  })
})
