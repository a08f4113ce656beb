import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'

// `npm run release-notes -- VERSION`, for .github/workflows/release.yml

/** Throws unless package.json has this version and the section has text. */
export const readReleaseNotes = (version: string, packageJson: string, changelog: string): string => {
  const current: unknown = JSON.parse(packageJson).version
  if (current !== version) throw new Error(`package.json has version ${current}, not ${version}`)
  const section = changelog
    .split(/^## /m)
    .slice(1)
    .find((text) => text.split(/\s/, 1)[0] === version)
  if (section === undefined)
    throw new Error(
      `CHANGELOG.md has no section for ${version}: add one with the heading "## ${version} – DATE"`,
    )
  const [, ...lines] = section.split('\n')
  const notes = lines.join('\n').trim()
  if (notes === '') throw new Error(`the section ${version} of CHANGELOG.md is empty`)
  return notes
}

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')

const readNotes = (args: readonly string[]) => {
  const command = {
    name: 'release-notes',
    does: 'Prints the CHANGELOG.md section of a version. Fails if package.json has a different version.',
    example: '0.2.0',
    operand: { takes: 'VERSION', means: 'the version to release, without the leading `v`' },
    flags: {},
  }
  const { operands, usage } = readCommandLine(command, args)
  const [version, ...others] = operands
  if (version === undefined || others.length > 0) throw new Error(`name one version\n${usage}`)
  return readReleaseNotes(version, read('package.json'), read('CHANGELOG.md'))
}

if (import.meta.main) process.stdout.write(`${readArgumentsOrExit('release-notes', readNotes, 1)}\n`)
