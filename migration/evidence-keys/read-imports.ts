import { init, parse } from 'es-module-lexer'

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
