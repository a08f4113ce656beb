import { init, parse } from 'es-module-lexer'

// To find export names, the lexer reads exported variables' initializers, where some types are not JavaScript. Only
// imports matter here.
const exportedVariable = /^export (?=(?:const|let) )/gm
const typesOnly = /^(?:import|export)\s+type\b/

await init

/**
 * Lists what a TypeScript file imports at run time, as written. Throws an error that names `path` if it cannot be read.
 */
export const readImports = (source: string, path: string): string[] => {
  const text = source.replace(exportedVariable, '')
  const [imports] = parse(text, path)
  return imports.flatMap(({ n: specifier, ss: start, se: end }) =>
    specifier !== undefined && !typesOnly.test(text.slice(start, end)) ? [specifier] : [],
  )
}
