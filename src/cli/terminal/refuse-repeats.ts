import type { Command, Option } from 'commander';

/**
 * Makes an option with a single value an error when it is given twice, for this command and those below: the last value would
 * silently replace the others, and a list or an export would leave out what they name.
 */
export function refuseRepeats(command: Command): void {
  for (const option of command.options) {
    if (isRepeatable(option)) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' is given more than once`);
      isGiven = true;
    });
  }
  for (const below of command.commands) refuseRepeats(below);
}

/** Whether several values of an option, or several mentions of a switch, mean what they say. */
function isRepeatable(option: Option): boolean {
  if (option.variadic || option.isBoolean()) return true;
  // A parser with a second parameter adds to the value before. That of choices has one, and does not.
  return option.parseArg !== undefined && option.parseArg.length > 1 && option.argChoices === undefined;
}
