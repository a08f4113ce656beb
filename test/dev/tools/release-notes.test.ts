import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readReleaseNotes } from '#dev/tools/release-notes.ts'

const packageJson = JSON.stringify({ version: '0.2.0' })
const changelog = `# Changelog

## Unreleased

### Added

- not yet

## 0.2.0 – 2026-12-01

### Fixed

- a fault

## 0.1.0 – 2026-11-01

- the first
`

describe('release notes', () => {
  it('contain the changelog section for their version', () => {
    expect(readReleaseNotes('0.2.0', packageJson, changelog)).toBe('### Fixed\n\n- a fault')
  })

  it('require the version to match package.json', () => {
    expect(() => readReleaseNotes('0.1.0', packageJson, changelog)).toThrow(
      'package.json has version 0.2.0, not 0.1.0',
    )
  })

  it("require a section for the version, even if another version's heading begins the same way", () => {
    const other = changelog.replace('## 0.2.0 ', '## 0.2.0-rc.1 ')
    expect(() => readReleaseNotes('0.2.0', packageJson, other)).toThrow(
      'CHANGELOG.md has no section for 0.2.0',
    )
  })

  it('require the section to contain text', () => {
    const empty = changelog.replace('### Fixed\n\n- a fault\n', '')
    expect(() => readReleaseNotes('0.2.0', packageJson, empty)).toThrow(
      'the section 0.2.0 of CHANGELOG.md is empty',
    )
  })
})

it('npm run release-notes fails with a one-line error if the version does not match package.json', () => {
  const script = join(import.meta.dirname, '../../../dev/tools/release-notes.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '999.0.0'], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/^release-notes: package\.json has version \S+, not 999\.0\.0\n$/)
})
