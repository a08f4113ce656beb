import { hash } from 'node:crypto'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { init, parse } from 'es-module-lexer'
import type { SourceTree } from './source-tree.ts'

/**
 * Returns 128 bits of SHA-256 in hex. It is short because a bundle contains one per route, and none of them has to be
 * secret or prove anything.
 */
export const digest = (text: string) => hash('sha256', text).slice(0, 32)

/** Matches comments on lines of their own in a TypeScript file. */
export const commentLines = /^[ \t]*(?:\/\/.*|\/\*(?:[^*]|\*(?!\/))*\*\/[ \t]*)$\n?/gm

// Hides exported variables from the lexer. To find the variables' names, it would read their initializers, which can
// contain TypeScript types. Only imports matter here.
const exportedVariable = /^export (?=(?:const|let) )/gm
const typesOnly = /^(?:import|export)\s+type\b/

await init

/**
 * Lists what a TypeScript file imports at run time, by the specifiers in the file. Throws an error that names `path` if
 * the file cannot be parsed.
 */
export const readImports = (source: string, path: string): string[] => {
  const text = source.replace(exportedVariable, '')
  const [imports] = parse(text, path)
  return imports.flatMap(({ n: specifier, ss: start, se: end }) =>
    specifier !== undefined && !typesOnly.test(text.slice(start, end)) ? [specifier] : [],
  )
}

interface Source {
  readonly contentHash: string
  readonly files: readonly string[]
  readonly packages: readonly string[]
}

export interface ImportClosure {
  readonly files: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
}

// A specifier with a scheme, such as `cloudflare:`, is a platform module.
const isPackage = (specifier: string) => !isBuiltin(specifier) && !specifier.includes(':')

const packageOf = (specifier: string) => {
  const [scope = '', name = ''] = specifier.split('/')
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

const resolveFile = (importer: string, specifier: string) => {
  // package.json maps every `#folder/*` to `./folder/*`.
  if (specifier.startsWith('#')) return specifier.slice(1)
  return posix.join(posix.dirname(importer), specifier)
}

const isOwn = (specifier: string) => specifier.startsWith('.') || specifier.startsWith('#')

export const createImportGraph = (tree: SourceTree) => {
  const sources = new Map<string, Source>()
  const versions = new Map<string, string>()

  const readSource = (path: string): Source => {
    const known = sources.get(path)
    if (known) return known
    const text = tree.readText(path)
    const imports = readImports(text, path)
    const source = {
      contentHash: digest(text.replace(commentLines, '')),
      files: imports.filter(isOwn).map((specifier) => resolveFile(path, specifier)),
      packages: imports.filter((specifier) => !isOwn(specifier) && isPackage(specifier)).map(packageOf),
    }
    sources.set(path, source)
    return source
  }

  const versionOf = (name: string) => {
    const version = versions.get(name) ?? tree.versionOf(name)
    versions.set(name, version)
    return version
  }

  return {
    importsOf: (path: string): readonly string[] => readSource(path).files,

    /** Returns what the files need, except `excluded` files and whatever only those import. */
    closureOf(paths: readonly string[], excluded: ReadonlySet<string> = new Set()): ImportClosure {
      const files = new Set<string>()
      const packages = new Set<string>()
      const pending = [...paths]
      for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
        if (files.has(path) || excluded.has(path)) continue
        files.add(path)
        const source = readSource(path)
        pending.push(...source.files)
        for (const name of source.packages) packages.add(name)
      }
      return { files, packages }
    },

    hashClosure: ({ files, packages }: ImportClosure) =>
      digest(
        [
          ...[...files].map((path) => `file ${path} ${readSource(path).contentHash}`),
          ...[...packages].map((name) => `package ${name} ${versionOf(name)}`),
        ]
          .sort()
          .join('\n'),
      ),
  }
}

export type ImportGraph = ReturnType<typeof createImportGraph>
