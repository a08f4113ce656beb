import { hash } from 'node:crypto'
import { posix } from 'node:path'
import { type Node, parseSync, type Statement } from 'oxc-parser'
import {
  findDefaultOfCount,
  isCallOf,
  lastNameOf,
  methodOf,
  mutateExpression,
  type Replacement,
  type TextOf,
} from './operators.ts'

export interface Mutant {
  /** Depends only on the path, the operator, the text before and after, and its occurrence in the file. */
  readonly id: string
  readonly path: string
  readonly operator: string
  readonly declaration: string
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A top-level declaration, as `path#name`, and the declarations it refers to. */
export interface Declaration {
  readonly name: string
  readonly uses: readonly string[]
  /** Whether the declaration contains functions. If so, calls to them show which requests reach the declaration. */
  readonly hasFunctions: boolean
}

interface Insertion {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

interface Place {
  readonly declaration: string
  /** Whether the node is a whole optional chain or part of one. A part cannot be replaced by itself. */
  readonly chain: 'none' | 'whole' | 'part'
  /** Whether the numbers in the node are durations, which no response reveals. */
  readonly isDuration: boolean
  readonly isInserted: boolean
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const typeKeys: ReadonlySet<string> = new Set([
  'typeAnnotation',
  'typeArguments',
  'typeParameters',
  'returnType',
  'superTypeArguments',
  'quasis',
  'label',
])

const childrenOf = (node: Node): Node[] =>
  Object.entries(node).flatMap(([key, value]) => {
    if (typeKeys.has(key)) return []
    // A key or property is only a name, unless it is computed.
    if ((key === 'key' || key === 'property') && !('computed' in node && node.computed)) return []
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []
  })

const isTypeOnly = ({ type }: Node) =>
  type.startsWith('TS') &&
  type !== 'TSAsExpression' &&
  type !== 'TSNonNullExpression' &&
  type !== 'TSSatisfiesExpression'

const durationName = /(?:Ms|[a-z]S|Seconds)$/

const nameOf = (statement: Statement): string => {
  const declared =
    statement.type === 'ExportNamedDeclaration' ? statement.declaration : (statement as Statement)
  if (declared?.type === 'VariableDeclaration') {
    const id = declared.declarations[0]?.id
    return id?.type === 'Identifier' ? id.name : ''
  }
  return declared && 'id' in declared && declared.id && 'name' in declared.id ? declared.id.name : ''
}

const resolveImport = (path: string, specifier: string) =>
  specifier.startsWith('#') ? specifier.slice(1) : posix.join(posix.dirname(path), specifier)

const listImports = (path: string, body: readonly (Statement | Node)[]) =>
  body.flatMap((statement) =>
    statement.type !== 'ImportDeclaration'
      ? []
      : statement.specifiers.flatMap((specifier) =>
          specifier.type === 'ImportSpecifier' && 'name' in specifier.imported
            ? [
                [
                  specifier.local.name,
                  `${resolveImport(path, statement.source.value)}#${specifier.imported.name}`,
                ] as const,
              ]
            : [],
        ),
  )

const chainAt = (node: Node, child: Node, { chain }: Place): Place['chain'] => {
  if (node.type === 'ChainExpression') return 'whole'
  const continues =
    (node.type === 'MemberExpression' && child === node.object) ||
    (node.type === 'CallExpression' && child === node.callee)
  return chain !== 'none' && continues ? 'part' : 'none'
}

const isInsertedRow = (node: Node, child: Node) => {
  const called = methodOf(node)
  return called?.method.name === 'values' && called.given.some((argument) => argument === child)
}

/** Adds texts around spans. The texts of an outer span go outside those of an inner one. */
const insertAll = (source: string, insertions: readonly Insertion[]) => {
  const edits = insertions.flatMap(({ start, end, before, after }, order) => [
    { at: start, isEnd: 0, nesting: -end, order, text: before },
    { at: end, isEnd: 1, nesting: -start, order: -order, text: after },
  ])
  edits.sort((a, b) => a.at - b.at || b.isEnd - a.isEnd || a.nesting - b.nesting || a.order - b.order)
  let text = ''
  let from = 0
  for (const edit of edits) {
    text += source.slice(from, edit.at) + edit.text
    from = edit.at
  }
  return text + source.slice(from)
}

const isFunction = (node: Node) =>
  node.type === 'ArrowFunctionExpression' ||
  node.type === 'FunctionDeclaration' ||
  node.type === 'FunctionExpression'

const containsFunction = (node: Node): boolean => isFunction(node) || childrenOf(node).some(containsFunction)

const isLogCall = (node: Node) => {
  const called = methodOf(node)
  return called !== null && lastNameOf(called.object) === 'log'
}

// A statement such as `body satisfies Change` does nothing at run time.
const isTypeCheck = (node: Node) =>
  node.type === 'TSSatisfiesExpression' && node.expression.type === 'Identifier'

/** Whether no response depends on the statement. */
const isUnseenStatement = ({ expression }: { readonly expression: Node }) =>
  isLogCall(expression.type === 'AwaitExpression' ? expression.argument : expression) ||
  isTypeCheck(expression)

/** Lists the columns selected inside `exists`, which only asks whether a row was found. */
const listUnseenColumns = (node: Node): readonly Node[] => {
  if (!isCallOf(node, /^(?:exists|notExists)$/)) return []
  const [query] = node.arguments
  let called = query && methodOf(query)
  while (called && called.method.name !== 'select') called = methodOf(called.object)
  return called?.given ?? []
}

/**
 * Finds a source's possible faults and puts them all into the source, switched off. The mutated source calls functions of the global
 * `__mutants`, which `switch.ts` sets.
 */
export const mutate = (path: string, source: string) => {
  const { program, errors } = parseSync(path, source)
  if (errors[0]) throw new Error(`failed to parse ${path}: ${errors[0].message}`)
  const textOf: TextOf = ({ start, end }) => source.slice(start, end)
  const mutants: Mutant[] = []
  const insertions: Insertion[] = []
  const occurrences = new Map<string, number>()
  const unseen = new Set<Node>()

  const addMutant = (node: Node, { declaration }: Place, { operator, text }: Replacement) => {
    const key = [path, operator, textOf(node), text].join('\0')
    const occurrence = occurrences.get(key) ?? 0
    occurrences.set(key, occurrence + 1)
    const id = hash('sha256', `${key}\0${occurrence}`).slice(0, 12)
    const { start, end } = node
    mutants.push({ id, path, operator, declaration, start, end, text })
    return id
  }

  const addReplacements = (node: Node, place: Place, replacements: readonly Replacement[]) => {
    const original = textOf(node)
    const distinct = replacements.filter(
      ({ text }, index) =>
        text !== original && replacements.findIndex((other) => other.text === text) === index,
    )
    if (distinct.length === 0) return
    const cases = distinct.map(
      (replacement) => `__mutants.isOn("${addMutant(node, place, replacement)}")?(${replacement.text}):`,
    )
    insertions.push({ start: node.start, end: node.end, before: `(${cases.join('')}(`, after: '))' })
  }

  const addEntry = (node: Node, { declaration }: Place) => {
    const call = `__mutants.enter("${path}#${declaration}")`
    const { body } = node as { readonly body?: Node | null }
    if (!body) return
    if (body.type === 'BlockStatement')
      insertions.push({ start: body.start + 1, end: body.start + 1, before: `${call};`, after: '' })
    else insertions.push({ start: body.start, end: body.end, before: `(${call},`, after: ')' })
  }

  const visitStatement = (node: Node, place: Place) => {
    if (node.type === 'ExpressionStatement' && place.declaration !== '' && !isUnseenStatement(node)) {
      const id = addMutant(node, place, { operator: 'skip statement', text: ';' })
      insertions.push({
        start: node.start,
        end: node.end,
        before: `{if(!__mutants.isOn("${id}"))`,
        after: '}',
      })
    }
    if (node.type === 'IfStatement')
      addReplacements(node.test, place, [
        { operator: 'conditional', text: 'true' },
        { operator: 'conditional', text: 'false' },
      ])
  }

  const isReplaceable = (node: Node, { chain, isDuration }: Place) =>
    chain !== 'part' && !(isDuration && node.type === 'Literal')

  const visit = (node: Node, given: Place): void => {
    if (isTypeOnly(node) || node.type === 'ImportDeclaration' || isLogCall(node) || unseen.has(node)) return
    for (const column of listUnseenColumns(node)) unseen.add(column)
    const place =
      node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && durationName.test(node.id.name)
        ? { ...given, isDuration: true }
        : given
    visitStatement(node, place)
    if (isFunction(node)) addEntry(node, place)
    if (isCallOf(node, /^prepared(?:Read|Write)$/)) {
      const { callee } = node
      insertions.push({ start: callee.start, end: callee.end, before: '__mutants.prepared(', after: ')' })
    }
    if (isReplaceable(node, place)) addReplacements(node, place, mutateExpression(node, textOf, place))
    for (const child of childrenOf(node)) {
      if (node.type === 'MemberExpression' && node.computed && child === node.property) continue
      if (child === findDefaultOfCount(node)) continue
      visit(child, { ...place, chain: chainAt(node, child, place), isInserted: isInsertedRow(node, child) })
    }
  }

  const imports = new Map(listImports(path, program.body))
  const statements = program.body.filter((statement) => statement.type !== 'ImportDeclaration')
  const ownNames = new Set(statements.map((statement) => nameOf(statement as Statement)))

  const listUses = (node: Node): string[] => {
    if (isTypeOnly(node)) return []
    const own =
      node.type === 'Identifier'
        ? [imports.get(node.name) ?? (ownNames.has(node.name) ? `${path}#${node.name}` : '')]
        : []
    return [...own, ...childrenOf(node).flatMap(listUses)]
  }

  const declarations = statements.map((statement): Declaration => {
    const declaration = nameOf(statement as Statement)
    visit(statement, { declaration, chain: 'none', isDuration: false, isInserted: false })
    const name = `${path}#${declaration}`
    const uses = [...new Set(listUses(statement))].filter((use) => use !== '' && use !== name)
    return { name, uses, hasFunctions: containsFunction(statement) }
  })
  return { mutants, declarations, text: insertAll(source, insertions) }
}
