import { expect } from 'vitest'
import { readCommandBlocks } from './markdown-blocks.ts'
import type { openShell } from './shells.ts'

// The pages with commands, in the order a new user reads them.
const pages = ['README.md', 'docs/tour.md', 'docs/comparing.md']
export const commandBlocks = pages.flatMap(readCommandBlocks).map(({ commands }) => commands)

/** For each block in order: a part of its text, and a pattern for the output of its commands. */
export const expectations: readonly (readonly [string, RegExp])[] = [
  ['curl -i $BASE', /core-runtime: native[\s\S]+core-runtime: proxy[\s\S]+HTTP\/1.1 401/i],
  [
    'routes -- ramp',
    /^tracks\.create: canary at 5 %.*\n[\s\S]*applied on 1 of 1 instance in \d+ ms\ntracks\.create: canary at 5 %, killed [\s\S]*applied on 1 of 1 instance in \d+ ms\n$/,
  ],
  ['TOKEN=', /^$/],
  ['node -e', /^$/],
  ['INTENT=', /^"\w+"\n$/],
  ['processing-status', /"playback":"ready"[\s\S]*"samplesPerPixel"[\s\S]*\n\s*100\n$/],
  ['accessCode=', /titles[\s\S]*access_code_required[\s\S]*harbour-ep-press/],
  ['LINK_TOKEN=', /\n\s*100\n[\s\S]*"plays": 1[\s\S]*track_link_unavailable/],
  ['CHECKOUT=', /entitlement_required[\s\S]*http:\S+\/checkout\//],
  ['/pay', /"planId":"pro","status":"active"[\s\S]*"\/\S+"\n$/],
  ['billing/cancel', /^true\nfalse\n"switched"\nhttp\S+\n$/],
  ['invitations', /^"queued"\nqueued\n$/],
  [
    'QUESTION',
    /Harbour Lights: The track has no ISRC\.[\s\S]*\n- and \d+ more\n[\s\S]*Harbour Lights: The track has no split sheet\.[\s\S]*for the press: pack Harbour EP, for anyone with it \[2\]\n- Share of the library Film pitches, for bob \(at\) example\.test \[3\]\n- Share of the library Film pitches, for acct_carol \[4\]/i,
  ],
  ['event-stream', /^event: done\n4\n204\n$/],
]
// Blocks that install or test something, or that start their own sandbox.
const isSeparate = (block: string) => /^npm (?:ci|run contract)/.test(block)

export const pastedBlocks = commandBlocks.filter((block) => !isSeparate(block))

interface PasteOptions {
  /** The gateway's base URL. It replaces the base URL of `npm start` in the blocks. */
  readonly url: string
  /** The account that buys a plan. It must not have one yet. */
  readonly buyer?: string
  /** Whether the shell's folder has the operator token of `npm start`. Blocks that move routes need it. */
  readonly movesRoutes?: boolean
}

export const pasteTour = async (
  shell: ReturnType<typeof openShell>,
  { url, buyer = 'acct_bob', movesRoutes = true }: PasteOptions,
) => {
  await shell.paste('')
  for (const [index, block] of pastedBlocks.entries()) {
    const [part = '', printed = /^$/] = expectations[index] ?? []
    if (part === 'routes -- ramp' && !movesRoutes) continue
    expect(block).toContain(part)
    const pasted = block.replaceAll('http://127.0.0.1:8787', url).replaceAll('acct_bob', buyer)
    const { output, errors } = await shell.paste(pasted)
    expect(output, block).toMatch(printed)
    expect(errors, block).not.toMatch(/a command failed|no matches found|not found|error/)
  }
}
