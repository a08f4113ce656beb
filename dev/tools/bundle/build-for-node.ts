import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { consoleScript, locateDocsAssets, migrationsFolder } from '#shared/run-time-files.ts'
import { childPrograms, nodePrograms } from './node-programs.ts'

const root = join(import.meta.dirname, '../../..')

const programNames = [...Object.keys(nodePrograms), ...Object.keys(childPrograms), 'check-node']
const builtNames: ReadonlySet<string> = new Set([
  ...programNames.map((name) => `${name}.mjs`),
  ...['programs', 'migrations', 'docs', 'console.js', 'LICENSES.txt'],
])

// The build replaces the whole folder.
const isReplaceable = (path: string) =>
  !existsSync(path) || readdirSync(path).every((name) => builtNames.has(name))

const readFolder = (args: readonly string[]) => {
  const { values } = readCommandLine(
    {
      name: 'build',
      does: 'Bundles the programs for Node.',
      example: '--out /tmp/crossfade',
      flags: { out: { type: 'string', takes: 'FOLDER', means: 'where the bundle goes; default: dist/node' } },
    },
    args,
  )
  const path = resolve(values.out ?? join(root, 'dist/node'))
  if (isReplaceable(path)) return path
  throw new Error(`${path} has other files, which a build would delete: choose an empty or a new folder`)
}
const folder = readArgumentsOrExit('build', readFolder, 1)
const unfinished = `${folder}.${process.pid}`
const programsFolder = 'programs'

// CommonJS packages load Node's modules with `require`, which an ES module does not have.
const requireOfModule = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

const bundle = (): Promise<{ metafile: Metafile }> =>
  build({
    absWorkingDir: root,
    entryPoints: Object.entries({ ...nodePrograms, ...childPrograms }).map(([out, input]) => ({
      in: input,
      out,
    })),
    outdir: join(unfinished, programsFolder),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    conditions: ['bundle'],
    // Computed by `dev/tools/write-build.ts` from the same sources.
    alias: { 'crossfade:build': './dist/build.json' },
    banner: { js: requireOfModule },
    // Names and white space are kept, so that stack frames in the log stay readable.
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Escapes what esbuild leaves: the comments and regular expressions that are not ASCII. V8 keeps a program's text in
 * memory, and a single such character doubles it.
 */
const escapePrograms = async () => {
  for (const name of Object.keys({ ...nodePrograms, ...childPrograms })) {
    const file = join(unfinished, programsFolder, `${name}.mjs`)
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replaceAll(/[\u0080-\uffff]/g, escapeUnit))
  }
}

const copyAssets = async () => {
  await cp(migrationsFolder, join(unfinished, 'migrations'), {
    recursive: true,
    // Only the migration generator reads the snapshots, which make up most of the folder.
    filter: (source) => !source.endsWith('_snapshot.json'),
  })
  await cp(consoleScript, join(unfinished, 'console.js'))
  await mkdir(join(unfinished, 'docs'))
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    await cp(fileURLToPath(new URL(file, locateDocsAssets())), join(unfinished, 'docs', file))
}

// A Node that is too old cannot even parse the programs, so an entry imports its program after the check. Nothing
// awaits that import. If the program waits for something that never comes, Node would therefore not exit with 13 by
// itself, so the entry sets this exit code.
const entryOf = (name: string) => `import './check-node.mjs'
process.exitCode = 13
import('./${programsFolder}/${name}.mjs').then(() => {
  if (process.exitCode === 13) process.exitCode = 0
})
`

const writeEntries = async () => {
  await cp(join(root, 'scripts/check-node.mjs'), join(unfinished, 'check-node.mjs'))
  for (const name of Object.keys(nodePrograms))
    await writeFile(join(unfinished, `${name}.mjs`), entryOf(name))
}

const packageOfInput = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//

const readLicense = async (folder: string) => {
  const files = await readdir(folder)
  const file = files.find((name) => /^licen[cs]e/i.test(name))
  return file === undefined ? null : readFile(join(folder, file), 'utf8')
}

/** Collects the licences of a bundle's packages into one text, which every copy of the bundle must contain. */
const collectLicenses = async (inputs: readonly string[]) => {
  const folders = new Set(inputs.flatMap((input) => packageOfInput.exec(input)?.[1] ?? []))
  const texts = await Promise.all(
    [...folders].sort().map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(root, folder, 'package.json'), 'utf8'),
      )
      const text =
        (await readLicense(join(root, folder))) ?? 'The package does not include the text of its licence.'
      return `${name} ${version} (${license})\n\n${text.trim()}\n`
    }),
  )
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** Replaces the bundle folder as a whole, because a process may be starting from it. */
const publish = async () => {
  await rm(folder, { recursive: true, force: true })
  await rename(unfinished, folder)
}

try {
  const { metafile } = await bundle()
  await escapePrograms()
  await writeEntries()
  await copyAssets()
  await writeFile(join(unfinished, 'LICENSES.txt'), await collectLicenses(Object.keys(metafile.inputs)))
  await publish()
  for (const name of Object.keys(nodePrograms)) {
    const { size } = await stat(join(folder, programsFolder, `${name}.mjs`))
    process.stdout.write(`${relative('.', join(folder, name))}.mjs  ${Math.round(size / 1024)} KiB\n`)
  }
} finally {
  await rm(unfinished, { recursive: true, force: true })
}
