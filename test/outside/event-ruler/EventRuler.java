import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import software.amazon.event.ruler.Ruler;

/**
 * Run by check.sh. Each input line is "pattern", a tab and a pattern; or "true" or "false", a tab and a record that
 * must ("true") or must not match.
 */
class EventRuler {
  public static void main(String[] arguments) throws Exception {
    List<String> patterns = new ArrayList<>();
    int matched = 0, others = 0, wrong = 0;
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      String[] parts = line.split("\t", 2);
      if (parts[0].equals("pattern")) {
        if (!patterns.contains(parts[1])) patterns.add(parts[1]);
        continue;
      }
      boolean isMatch = false;
      for (String pattern : patterns) isMatch |= Ruler.matchesRule(parts[1], pattern);
      if (isMatch) matched++;
      else others++;
      if (isMatch == Boolean.parseBoolean(parts[0])) continue;
      wrong++;
      System.err.println("Event Ruler says " + isMatch + ": " + line);
    }
    System.out.println(patterns.size() + " patterns, " + matched + " records matched, " + others + " not, " + wrong + " judged differently");
    System.exit(wrong == 0 && matched > 0 && others > 0 ? 0 : 1);
  }
}
