// Completion scripts for shells, made from the commands and options of the program.
import type { Command } from 'commander';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Words {
  name: string;
  description: string;
  /** Names of subcommands and long options. */
  after: string[];
}

const wordsOf = (program: Command): Words[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    after: [
      ...command.commands.map((sub) => sub.name()),
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...command.options.flatMap(({ long }) => (long ? [long] : [])),
    ],
  }));

export function completionScript(program: Command, shell: Shell): string {
  const words = wordsOf(program);
  return { bash, zsh, fish }[shell](words);
}

function bash(words: readonly Words[]): string {
  return `# Completion of rivulet for bash: eval "$(rivulet completion bash)"
_rivulet() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(' ')}" -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${words.map(({ name, after }) => `    ${name}) COMPREPLY=($(compgen -W "${after.join(' ')}" -- "$word")) ;;`).join('\n')}
  esac
}
complete -o default -F _rivulet rivulet
`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(words: readonly Words[]): string {
  return `#compdef rivulet
# Completion of rivulet for zsh: eval "$(rivulet completion zsh)"
_rivulet() {
  if (( CURRENT == 2 )); then
    local -a commands=(${words.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ')})
    _describe command commands
    return
  fi
  case $words[2] in
${words.map(({ name, after }) => `    ${name}) compadd -- ${after.join(' ')} ;;`).join('\n')}
  esac
  _files
}
compdef _rivulet rivulet
`;
}

function fish(words: readonly Words[]): string {
  const lines = words.flatMap(({ name, description, after }) => [
    `complete -c rivulet -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
    ...after.map((word) =>
      word.startsWith('--')
        ? `complete -c rivulet -n '__fish_seen_subcommand_from ${name}' -l ${word.slice(2)}`
        : `complete -c rivulet -n '__fish_seen_subcommand_from ${name}' -f -a ${word}`,
    ),
  ]);
  return `# Completion of rivulet for fish: rivulet completion fish | source\n${lines.join('\n')}\n`;
}
