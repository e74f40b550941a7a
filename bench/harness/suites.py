"""All suites, in one place. `quick` makes toys of them, to try the harness."""

from dataclasses import replace

from harness import methods as m
from harness.checks import Below, Certified, Everywhere, Growth, Optima, Ratio, SpeedUp
from harness.fetched import Fashion, Glove
from harness.heat import Heat
from harness.networks import Amsterdam, Pmed
from harness.points import Birch, Blobs, Mnist, Shape, Table
from harness.suite import Case, Suite

ORDERS = (m.FASTERPAM.name, m.FASTERPAM_T.name)


def suites(quick: bool) -> dict[str, Suite]:
    """The suites by name, in the order in which they are run."""
    made = [
        mnist_l2(quick),
        mnist_l1(quick),
        birch(quick),
        embeddings(quick),
        shapes(quick),
        tables(quick),
        million(quick),
        init(quick),
        graphs(quick),
        growth(quick),
        threads(quick),
        bandit(quick),
    ]
    return {suite.name: suite for suite in made}


def mnist_l2(quick: bool) -> Suite:
    data, ks = (Mnist(1000), (10,)) if quick else (Mnist(10_000), (10, 20, 100))
    methods = (m.KMEDIAN, m.FASTERPAM, m.FASTERPAM_T, m.ONEBATCH, m.FAISS)
    return Suite(
        "mnist-l2",
        "Images, l2: no distance matrix against the best distance matrix",
        tuple(Case(data, k, methods) for k in ks),
        reference=ORDERS,
        checks=(
            Certified(),
            Ratio("kmedian", ORDERS, "seconds", 0.5),
            Ratio("kmedian", ORDERS, "peak_mib", 0.3),
            Ratio("kmedian", ORDERS, "cost", 1.002),
        ),
    )


def mnist_l1(quick: bool) -> Suite:
    data, ks = (Mnist(1000), (10,)) if quick else (Mnist(10_000), (10, 20, 100))
    methods = (m.KMEDIAN, replace(m.FASTERPAM_T, at_most=1), m.ONEBATCH)
    return Suite(
        "mnist-l1",
        "Images, l1: there is no matrix product to help anybody",
        tuple(Case(data, k, methods, metric="l1") for k in ks),
        reference=ORDERS,
        checks=(
            Certified(),
            Ratio("kmedian", ORDERS, "seconds", 0.1),
            Ratio("kmedian", ORDERS, "cost", 1.002),
        ),
        note="fasterpam-t is run once: its matrix alone takes most of a minute on one thread.",
    )


def birch(quick: bool) -> Suite:
    some, all_, k = (2000, 5000, 20) if quick else (20_000, 100_000, 100)
    with_matrix = (m.KMEDIAN, m.FASTERPAM, m.FASTERPAM_T, m.ONEBATCH)
    return Suite(
        "birch",
        "Points in the plane",
        (Case(Birch(some), k, with_matrix), Case(Birch(all_), k, (m.KMEDIAN, m.ONEBATCH))),
        reference=ORDERS,
        otherwise=(m.ONEBATCH.name,),
        checks=(
            Certified(),
            Ratio("kmedian", ORDERS, "seconds", 0.1),
            Ratio("kmedian", ORDERS, "cost", 1.002),
            Ratio("kmedian", (m.ONEBATCH.name,), "cost", 0.99, data=f"birch1-{all_}"),
        ),
        note="FasterPAM cannot run on 100,000 points: its matrix would have 40 GB.",
    )


KINDS = ("clustered", "weak", "isotropic", "heavy", "outliers")


def embeddings(quick: bool) -> Suite:
    peer, one, both = (m.KMEDIAN, m.FASTERPAM_T), (1,), (2,)
    grid = [
        Case(Shape(kind, n, d), k, peer, metric, one)
        for n, d in (((1500, 128),) if quick else ((5000, 384), (10_000, 128), (10_000, 768)))
        for metric in ("l2", "angular")
        for kind in KINDS[:3]
        for k in ((10,) if quick else (10, 50, 200))
    ]
    # What the grid leaves out, one setting each: other numbers of rows and of coordinates, kinds of
    # data and metrics, words and pictures. Of more than 20,000 rows FasterPAM's matrix has 10 GB.
    others = [
        Case(data, k, methods, metric, threads)
        for data, k, methods, metric, threads in (
            (Shape("heavy", 5000, 128), 50, peer, "l1", one),
            (Shape("outliers", 5000, 768), 50, peer, "l2", one),
            (Shape("clustered", 5000, 1536), 10, peer, "angular", one),
            (Shape("isotropic", 5000, 1536), 200, peer, "l2", one),
            (Shape("clustered", 20_000, 128), 50, peer, "angular", one),
            (Shape("weak", 20_000, 384), 50, peer, "l2", one),
            (Shape("heavy", 20_000, 128), 10, peer, "l2", one),
            (Glove(20_000), 50, peer, "angular", one),
            (Glove(20_000), 200, peer, "l2", one),
            (Fashion(10_000), 50, peer, "l2", one),
            (Fashion(10_000), 200, peer, "l2", one),
            (Shape("clustered", 50_000, 768), 50, (m.CERTIFIED_4_GIB,), "l2", both),
            (Glove(341_479), 100, (m.AUTO,), "angular", both),
        )
    ]
    return Suite(
        "embeddings",
        "Rows as networks make them: hundreds of coordinates, no axis that matters most",
        (*grid, *([] if quick else others)),
        reference=ORDERS,
        checks=(
            Certified(),
            Everywhere("kmedian", ORDERS, 0.6, 0.6),
            Ratio("kmedian", ORDERS, "cost", 1.002),
            Ratio("kmedian", ORDERS, "peak_mib", 0.35),
            Below(m.CERTIFIED_4_GIB.name, "peak_mib", 4096),
        ),
        repeats=1,
    )


def shapes(quick: bool) -> Suite:
    ns = (1000,) if quick else (1000, 3000, 8000)
    ds = (2, 17) if quick else (2, 8, 17, 54, 128, 512)
    ks = (10,) if quick else (10, 100)
    peer, threads = (m.KMEDIAN_OF_ARRAY, m.FASTERPAM_T), (1,)
    grid = [(n, d, "l2", kind) for n in ns for d in ds for kind in KINDS]
    others = [
        (n, d, metric, kind)
        for n in ns[1:]
        for d in ds
        for metric in ("angular", "l1")
        for kind in ("clustered", "heavy")
    ]
    return Suite(
        "shapes",
        "A grid over n, d, k, metric and kind of data",
        tuple(
            Case(Shape(kind, n, d), k, peer, metric, threads)
            for n, d, metric, kind in [*grid, *others]
            for k in ks
        ),
        reference=ORDERS,
        checks=(
            Certified(),
            Everywhere("kmedian", ORDERS, 1 / 0.9, 0.5),
            Heat("kmedian", ORDERS),
        ),
        repeats=1,
        note="Settings where a rival is faster are listed first under the table.",
    )


def tables(quick: bool) -> Suite:
    small = (1000, 2000) if quick else (5000, 20_000)
    large = 5000 if quick else 500_000
    grid = [
        Case(Table(n, 10), k, (m.KMEDIAN, m.FASTERPAM_T, m.ONEBATCH), metric, (1,))
        for n in small
        for metric in ("l2", "l1")
        for k in (10, 50)
    ]
    tall = Case(
        Table(large, 10), 50, (m.AUTO, m.BALANCED, m.MINIBATCH, m.SUPERKMEANS), threads=(2,)
    )
    return Suite(
        "tables",
        "Tall and narrow tables: several scales, values that repeat, equal rows",
        (*grid, tall),
        reference=ORDERS,
        otherwise=(m.MINIBATCH.name,),
        checks=(
            Certified(),
            Everywhere("kmedian", ORDERS, 1.0, 0.5),
            Ratio("kmedian", (m.ONEBATCH.name,), "cost", 1.0),
            Below(m.AUTO.name, "seconds", 30),
        ),
        repeats=1,
    )


def million(quick: bool) -> Suite:
    data, k = (Blobs(20_000, 16, 100), 100) if quick else (Blobs(1_000_000, 16, 1000), 1000)
    onebatch = replace(m.ONEBATCH, limits=m.Limits(seconds=3600, gib=16), at_most=1)
    ours = m.BALANCED.name
    return Suite(
        "million",
        "A million points in 16 dimensions, a thousand clusters",
        (Case(data, k, (m.BALANCED, m.FAST, m.MINIBATCH, onebatch), threads=(2,)),),
        reference=(m.MINIBATCH.name,),
        checks=(
            Below(ours, "peak_mib", 2048),
            Ratio(ours, (m.MINIBATCH.name,), "cost", 1.0),
            Ratio(ours, (m.MINIBATCH.name,), "seconds", 1.0),
            Ratio(ours, (m.ONEBATCH.name,), "cost", 1.0),
            Ratio(ours, (m.ONEBATCH.name,), "seconds", 1.0),
        ),
        note="onebatch may take 16 GiB and an hour.",
    )


def init(quick: bool) -> Suite:
    data, ks = (Mnist(2000), (20, 50)) if quick else (Mnist(60_000), (20, 50, 200))
    timed, rival = ("tree", "init"), (m.PLUSPLUS.name,)
    return Suite(
        "init",
        "Initial centers from a fitted tree against k-median++: seconds of tree and init",
        tuple(Case(data, k, (m.HST, m.PLUSPLUS)) for k in ks),
        reference=rival,
        checks=(
            *(
                Ratio(m.HST.name, rival, "seconds", limit, ks=(k,), timed=parts)
                for k, limit in ((20, 1.0), (200, 1 / 3))
                for parts in (timed, ())
            ),
            Ratio(m.HST.name, rival, "cost", 1.0),
        ),
        repeats=5,
        timed=timed,
        note="Claims on `time` alone take the whole process, whichever part prepares what.",
    )


def graphs(quick: bool) -> Suite:
    balls = (1000, 3000) if quick else (3000, 10_000, 30_000)
    numbers = (1, 11) if quick else range(1, 40, 2)
    again = m.restarted(5 if quick else 200)
    networks = [Case(Amsterdam(nodes), 50, (m.KMEDIAN,), "path") for nodes in balls]
    whole = [] if quick else [Case(Amsterdam(), 50, (m.KMEDIAN,), "path")]
    instances = [Case(Pmed(number), None, (again,), "path") for number in numbers]
    return Suite(
        "graphs",
        "Road networks and OR-Library",
        (*networks, *whole, *instances),
        checks=(Certified(), Growth("n", "amsterdam*"), Optima(seconds=120.0)),
        repeats=1,
    )


def growth(quick: bool) -> Suite:
    one = (1,)
    both, alone = (m.BALANCED, m.KMEDIAN), (m.BALANCED,)
    ns = (1000, 3000) if quick else (10_000, 30_000, 100_000, 300_000, 1_000_000)
    ks = (10, 100) if quick else (10, 100, 1000, 10_000)
    ds = (2, 8, 32) if quick else (2, 8, 32, 128, 512)
    n_of_k, n_of_d = (3000, 1000) if quick else (100_000, 20_000)
    over_n = [
        Case(Blobs(n, 16, 100), 100, both if n <= 100_000 else alone, threads=one) for n in ns
    ]
    over_k = [Case(Blobs(n_of_k, 16, 1000), k, alone, threads=one) for k in ks]
    over_d = [Case(Blobs(n_of_d, d, 50), 50, both, threads=one) for d in ds]
    return Suite(
        "growth",
        "Time against n, k and d",
        (*over_n, *over_k, *over_d),
        checks=(
            Growth("n", "blobs-*x16-c100"),
            Growth("k", f"blobs-{n_of_k}x16-c1000"),
            Growth("d", f"blobs-{n_of_d}x*-c50"),
        ),
        repeats=1,
    )


def threads(quick: bool) -> Suite:
    images, plane = (Mnist(1000), Birch(5000)) if quick else (Mnist(10_000), Birch(100_000))
    ours = (m.KMEDIAN,)
    return Suite(
        "threads",
        "One thread and two",
        (Case(images, 20, ours), Case(images, 20, ours, metric="l1"), Case(plane, 100, ours)),
        checks=(SpeedUp("kmedian", 1.7, timed=("search",)), SpeedUp("kmedian", 1.7)),
    )


def bandit(quick: bool) -> Suite:
    sizes, ks = ((500,), (5,)) if quick else ((1000, 2000), (5, 10))
    methods = (m.KMEDIAN, m.FASTERPAM_T, replace(m.BANDITPAM, limits=m.Limits(seconds=900)))
    return Suite(
        "banditpam",
        "BanditPAM, at sizes it can finish",
        tuple(Case(Mnist(n), k, methods) for n in sizes for k in ks),
        reference=(m.BANDITPAM.name,),
        checks=(Certified(), Ratio("kmedian", (m.BANDITPAM.name,), "cost", 1.0)),
    )
