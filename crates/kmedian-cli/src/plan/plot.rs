//! Draws the curves of a plan with characters, for a terminal.

use super::chart::Chart;

/// The number of rows of the chart: 13, so that every fourth can have a number.
const HEIGHT: usize = 13;
/// The number of characters from one ε to the next: room for `no data`, and for an ε of as many
/// digits.
const STEP: usize = 10;
/// The number of characters left of the chart, for the scale.
const MARGIN: usize = 8;
/// The mark of each curve.
const MARKS: [char; 4] = ['o', 'x', '+', '#'];
/// The mark where several curves meet.
const SEVERAL: char = '*';
/// The mark of what is above the chart.
const ABOVE: char = '^';

/// Draws the mean cost for each ε. The leftmost column, where no ε is spent, has the cost of
/// centers without data.
pub(super) fn draw(chart: &Chart) -> String {
    let width = STEP * (chart.epsilons.len() + 1);
    let mut cells = vec![vec![' '; width]; HEIGHT];
    for (line, mark) in chart.lines.iter().zip(MARKS) {
        let heights = [line.data_free].into_iter().chain(line.means.iter().copied());
        for (place, height) in heights.enumerate() {
            let Some(share) = chart.share(height) else { continue };
            let row = ((1.0 - share) * (HEIGHT - 1) as f64).round() as usize;
            let cell = &mut cells[row.min(HEIGHT - 1)][place * STEP + STEP / 2];
            *cell = match *cell {
                _ if share > 1.0 => ABOVE,
                ' ' => mark,
                _ => SEVERAL,
            };
        }
    }
    let [low, high] = chart.range;
    let mut text = String::from("times the non-private cost\n");
    for (row, cells) in cells.iter().enumerate() {
        let scale = match row {
            _ if row % 4 != 0 => String::new(),
            _ => format!("{:.2}", high - (high - low) * row as f64 / (HEIGHT - 1) as f64),
        };
        let cells: String = cells.iter().collect();
        text += &format!("{scale:>width$} |{}\n", cells.trim_end(), width = MARGIN - 2);
    }
    text += &format!("{:>MARGIN$}{}\n{:MARGIN$}", "+", "-".repeat(width), "");
    let ticks = ["no data"].into_iter().chain(chart.epsilons.iter().map(String::as_str));
    text += ticks.map(|tick| format!("{tick:^STEP$}")).collect::<String>().trim_end();
    text += "  epsilon\n";
    let legend = chart.lines.iter().zip(MARKS).map(|(line, mark)| format!("{mark} {}", line.name));
    let others = [format!("{SEVERAL} several"), format!("{ABOVE} above")];
    let legend: Vec<String> = legend.chain(others).collect();
    text + &format!("{:MARGIN$}  {}\n", "", legend.join("   "))
}

#[cfg(test)]
mod tests {
    use super::super::chart::Line;
    use super::*;

    #[test]
    fn marks_are_where_they_belong() {
        let line =
            |name, data_free, means: [f64; 2]| Line { name, data_free, means: means.to_vec() };
        let chart = Chart {
            epsilons: vec!["0.1".into(), "1".into()],
            lines: vec![
                line("here", 2.0, [1.5, 1.0]),
                line("there", f64::INFINITY, [2.0, 1.0]),
                line("far", 9.0, [1.2, 1.2]),
            ],
            range: [1.0, 2.0],
        };
        let drawn = draw(&chart);
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(rows[1], "  2.00 |     ^         x");
        assert_eq!(rows[7], "       |               o");
        assert_eq!(rows[13], "  1.00 |                         *");
        assert_eq!(
            rows[15].split_whitespace().collect::<Vec<_>>(),
            ["no", "data", "0.1", "1", "epsilon"]
        );
        assert!(rows[16].trim() == "o here   x there   + far   * several   ^ above", "{drawn}");
    }
}
